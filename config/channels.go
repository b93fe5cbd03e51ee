package config

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"botwork/internal/author/strictyaml"
)

// Channels are the channels whose items a worker runs, by name. A worker without channels runs
// items of all channels, with one slot per item.
type Channels map[string]Channel

// Channel defines how many slots an item of a channel needs.
type Channel struct {
	// Cost is how many slots an item needs: 1 to the capacity without the reserved slots.
	Cost int `yaml:"cost,required"`

	// Max is how many items run at a time, from 1 on; nil: as many as fit.
	Max *int `yaml:"max"`
}

// queuePattern matches valid names of queues and channels. It is compiled on demand, because a
// class that repeats 200 times results in a large program.
const queuePattern = `^[A-Za-z0-9_.-]{1,200}$`

var queueName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(queuePattern) })

// DecodeNode implements strictyaml.NodeDecoder.
func (c *Channels) DecodeNode(n *strictyaml.Node) strictyaml.Findings {
	var channels map[string]Channel
	findings := n.Decode(&channels)
	*c = channels
	return findings
}

// UnmarshalText parses "name=cost,name=cost:max", as in an environment variable.
func (c *Channels) UnmarshalText(text []byte) error {
	channels := Channels{}
	for pair := range strings.SplitSeq(string(text), ",") {
		name, value, ok := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		costText, mostText, limited := strings.Cut(strings.TrimSpace(value), ":")
		cost, err := strconv.Atoi(costText)
		channel := Channel{Cost: cost}
		if limited && err == nil {
			var most int
			most, err = strconv.Atoi(mostText)
			channel.Max = &most
		}
		if !ok || name == "" || err != nil {
			return errors.New("want name=cost,name=cost:max, such as voice=60,chat=10:2")
		}
		if _, twice := channels[name]; twice {
			return fmt.Errorf("channel %q is listed twice", name)
		}
		channels[name] = channel
	}
	*c = channels
	return nil
}

// slots checks the settings of a worker's slots.
func (k *checker) slots() {
	w := &k.Worker
	capacity := k.between("worker.capacity", w.Capacity, 1, 10_000) && !k.broken["worker.capacity"]
	free := 10_000
	if capacity {
		free = w.Capacity
	}
	if k.between("worker.reservedSlots", w.ReservedSlots, 0, free-1) && !k.broken["worker.reservedSlots"] {
		free -= w.ReservedSlots
	}
	for _, name := range slices.Sorted(maps.Keys(w.Channels)) {
		path, channel := "worker.channels."+name, w.Channels[name]
		k.queueName(path, name)
		switch cost := path + ".cost"; {
		case k.broken[cost] || k.broken[path]:
		case channel.Cost > free:
			k.add(cost, "invalid-pair", fmt.Sprintf("got %d, want 1 to %d: such items could never run", channel.Cost, free),
				fmt.Sprintf("the capacity is %d, and %d of that is reserved", w.Capacity, w.ReservedSlots))
		default:
			k.between(cost, channel.Cost, 1, free)
		}
		if channel.Max != nil && *channel.Max < 1 {
			k.add(path+".max", "out-of-range", fmt.Sprintf("got %d, want 1 or more", *channel.Max), "without max as many run as fit")
		}
	}
	for i, queue := range w.Queues {
		k.queueName(fmt.Sprintf("worker.queues[%d]", i), queue)
	}
}

// queueName checks the name of a queue or a channel.
func (k *checker) queueName(path, name string) {
	if !queueName().MatchString(name) {
		k.add(path, "invalid-name", fmt.Sprintf("got the name %q, want 1 to 200 Latin letters, digits and the characters _ . -", name), "")
	}
}
