#!/bin/sh
# A robot of Botwork that needs sh, sed and curl alone.
#
# It takes items of a queue over the HTTP API, one after the other, and reports the results. Set
# BOTWORK_TOKEN, and if needed BOTWORK_URL and BOTWORK_QUEUE. SIGTERM or Ctrl-C stops it after the
# current item.
set -u

url=${BOTWORK_URL:-http://127.0.0.1:8321}/api/v1
queue=${BOTWORK_QUEUE:-greetings}
wait=${BOTWORK_WAIT:-30} # seconds that one request waits for an item
: "${BOTWORK_TOKEN:?is not set}"

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
stopping=
trap 'stopping=yes' TERM INT

# The token is not in the process list.
printf 'header = "Authorization: Bearer %s"\n' "$BOTWORK_TOKEN" > "$dir/curl" && chmod 600 "$dir/curl"

# call PATH: sends the JSON of standard input and prints the answer. curl tries again, with a growing
# wait, after network errors and the statuses 408, 429, 500, 502, 503 and 504, and respects Retry-After.
# It runs in a pipeline, so that exec ends no more than that: a signal to the pipeline reaches curl.
call() {
    exec curl --config "$dir/curl" --silent --show-error --fail-with-body --retry 8 --retry-all-errors --retry-max-time 300 \
        --max-time $((wait + 30)) --header 'Content-Type: application/json' --data-binary @- "$url$1"
}

# The work: reads the item as JSON on standard input, and prints the output as JSON. An exit code of 0 is
# a success, 3 says that the data is wrong, and any other is a failure, which is tried again. The last
# line on standard error is the error.
work() {
    name=$(sed -n 's/.*"payload":{"name":"\([^"\\]*\)"}.*/\1/p')
    if [ -z "$name" ]; then
        echo "the payload has no name" >&2
        return 3
    fi
    printf '{"greeting":"Hello, %s!"}' "$name"
}

# quoted: standard input as a JSON string.
quoted() { printf '"%s"' "$(tr '\t\r\n' '   ' | tr -d '\000-\037' | sed 's/\\/\\\\/g; s/"/\\"/g; s/ *$//')"; }

# beat PATH HOLD WORK: renews the lease until this process is killed; ends the work if the server says so.
beat() {
    while sleep 20 > /dev/null 2>&1; do
        answer=$(printf '{%s,"lease":"60s"}' "$2" | call "$1/heartbeat") || continue
        case $answer in
        *'"continue":false'*)
            echo "stop: $answer" >&2
            touch "$dir/stop"
            kill "$3" 2>/dev/null
            return
            ;;
        esac
    done
}

while [ -z "$stopping" ]; do
    # In the background, so that a signal interrupts the wait.
    printf '{"lease":"60s","wait":"%ss"}' "$wait" | call "/queues/$queue/take" > "$dir/taken" &
    taking=$!
    wait "$taking"
    code=$?
    if [ -n "$stopping" ] && kill -0 "$taking" 2>/dev/null; then
        kill "$taking" # the server releases what it was about to give
        break
    fi
    if [ "$code" -ne 0 ]; then
        echo "take failed: $(cat "$dir/taken")" >&2
        case $(cat "$dir/taken") in
        *'"status":40'[0-7]* | *'"status":409'* | *'"status":422'*) exit 1 ;;
        esac
        sleep 5
        continue
    fi
    # With jq: jq -r '.lockKey, .items[0].id, .items[0].fence'
    key=$(sed -n 's/^{"lockKey":"\([^"]*\)".*/\1/p' "$dir/taken")
    id=$(sed -n 's/^{"lockKey":"[^"]*","items":\[{"id":\([0-9]*\),.*/\1/p' "$dir/taken")
    fence=$(sed -n 's/.*"workerId":null,"fence":\([0-9]*\),"leaseExpiresAt":.*/\1/p' "$dir/taken")
    [ -n "$key" ] || continue
    hold="\"fence\":$fence,\"lockKey\":\"$key\""

    rm -f "$dir/stop"
    work < "$dir/taken" > "$dir/output" 2> "$dir/error" &
    working=$!
    beat "/checkouts/$id" "$hold" "$working" &
    beating=$!
    while wait "$working"; code=$?; kill -0 "$working" 2>/dev/null; do :; done # a signal ends wait early
    kill "$beating" 2>/dev/null
    wait "$beating" 2>/dev/null
    [ ! -e "$dir/stop" ] || continue # the item is no longer ours

    case $code in
    0) end=succeed report="\"output\":$(cat "$dir/output")" ;;
    3) end=fail report="\"kind\":\"business\",\"error\":$(tail -n 1 "$dir/error" | quoted)" ;;
    *) end=fail report="\"error\":$({ echo "exit code $code:"; tail -n 1 "$dir/error"; } | quoted)" ;;
    esac
    if answer=$(printf '{%s,%s}' "$hold" "$report" | call "/checkouts/$id/$end"); then
        echo "item $id: $(printf %s "$answer" | sed -n 's/.*"stateName":"\([A-Za-z]*\)".*/\1/p')"
    else
        echo "item $id: $answer" >&2
    fi
done
