#!/usr/bin/env python3
"""A robot of Botwork that needs the standard library of Python 3 alone.

It takes items of a queue over the HTTP API, works on them one after the other, and reports the
results. Set BOTWORK_TOKEN, and if needed BOTWORK_URL and BOTWORK_QUEUE. SIGTERM or Ctrl-C stops it
after the current item.
"""

import json
import os
import random
import signal
import sys
import threading
import time
import urllib.error
import urllib.request

URL = os.environ.get("BOTWORK_URL", "http://127.0.0.1:8321").rstrip("/") + "/api/v1"
TOKEN = os.environ["BOTWORK_TOKEN"]
QUEUE = os.environ.get("BOTWORK_QUEUE", "greetings")
WAIT = int(os.environ.get("BOTWORK_WAIT", "30"))  # seconds that one request waits for an item
LEASE = 60  # seconds that an item is held; a heartbeat renews that each third of it

stopping = threading.Event()


class BusinessError(Exception):
    """The data of the item is wrong: it is not tried again."""


def work(payload, stop):
    """Does the work on an item and returns its output.

    stop is set when the item was cancelled: long work should look at it. Any exception is a
    failure, which is tried again by the policy of the queue.
    """
    if not isinstance(payload, dict) or not payload.get("name"):
        raise BusinessError("the payload has no name")
    return {"greeting": f"Hello, {payload['name']}!"}


class Refused(Exception):
    def __init__(self, status, problem):
        super().__init__(f"{problem.get('detail')} [{problem.get('code')}, HTTP {status}]")
        self.status, self.code = status, problem.get("code")


def call(path, body, attempts=8):
    """Sends a request until it is answered. A repeated report of a result is recognised."""
    for attempt in range(attempts):
        request = urllib.request.Request(URL + path, json.dumps(body).encode(), {"Authorization": "Bearer " + TOKEN, "Content-Type": "application/json"})
        after = 0.0
        try:
            with urllib.request.urlopen(request, timeout=WAIT + 30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as e:
            try:
                problem = json.load(e)
            except ValueError:
                problem = {"code": f"http-{e.code}", "detail": e.reason}
            error = Refused(e.code, problem)
            if e.code not in (429, 502, 503, 504):
                raise error
            try:
                after = float(e.headers.get("Retry-After", 0))
            except ValueError:
                pass
        except OSError as e:  # the connection failed
            error = e
        if attempt + 1 < attempts:
            time.sleep(after + random.uniform(0, min(0.2 * 2**attempt, 20)))
    raise error


def beat(checkout, hold, ended, stop):
    """Renews the lease until the work has ended, and stops the work when the server says so."""
    until = time.monotonic() + LEASE
    while not ended.wait(LEASE / 3):
        sent = time.monotonic()
        try:
            answer = call(checkout + "/heartbeat", hold | {"lease": f"{LEASE}s"}, attempts=3)
        except (Refused, OSError) as e:
            print("heartbeat failed:", e, file=sys.stderr)
            if time.monotonic() > until:
                stop.set()
                return
            continue
        if not answer["continue"]:
            print("stop:", answer["reason"], file=sys.stderr)
            stop.set()
            return
        until = sent + LEASE


def handle(item, lock_key):
    checkout, hold = f"/checkouts/{item['id']}", {"fence": item["fence"], "lockKey": lock_key}
    ended, stop = threading.Event(), threading.Event()
    heart = threading.Thread(target=beat, args=(checkout, hold, ended, stop), daemon=True)
    heart.start()
    try:
        end, report = "succeed", {"output": work(item["payload"], stop)}
    except BusinessError as e:
        end, report = "fail", {"kind": "business", "error": str(e) or "wrong data"}
    except Exception as e:  # whatever it was: the queue decides whether to try again
        end, report = "fail", {"kind": "error", "error": f"{type(e).__name__}: {e}"}
    ended.set()
    heart.join()
    if stop.is_set():
        return  # the item is no longer ours: its result would be refused
    try:
        answer = call(f"{checkout}/{end}", hold | report)
        print(f"item {item['id']}: {answer['stateName']}", flush=True)
    except Refused as e:
        if e.code == "lease-lost":
            print(f"item {item['id']}: too late", file=sys.stderr)
        elif end == "succeed" and 400 <= e.status < 500:  # such as schema-mismatch
            call(checkout + "/fail", hold | {"kind": "business", "error": f"the result was refused: {e}"})
        else:
            raise


def main():
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopping.set())
    while not stopping.is_set():
        try:
            taken = call(f"/queues/{QUEUE}/take", {"lease": f"{LEASE}s", "wait": f"{WAIT}s"})
        except Refused as e:
            if 400 <= e.status < 500 and e.status != 429:
                sys.exit(f"robot.py: {e}")
            print("take failed:", e, file=sys.stderr)
            continue
        except OSError as e:
            print("take failed:", e, file=sys.stderr)
            continue
        for item in taken["items"]:
            handle(item, taken["lockKey"])


if __name__ == "__main__":
    main()
