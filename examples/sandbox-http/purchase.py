"""A purchase from Python, with the standard library alone: buy, fail, settle, receive and verify the webhook, check the books.

Run: SANDBOX=http://127.0.0.1:4010 python3 purchase.py
"""

import hashlib
import hmac
import json
import os
import queue
import re
import threading
import time
import urllib.error
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SANDBOX = os.environ.get("SANDBOX", "http://127.0.0.1:4010")
SECRET = "whsec_" + uuid.uuid4().hex
CLIENT_ID = "client_default"

# The service repeats an event for 31 hours and 51 minutes, and may not sign a repetition anew. Five minutes are for clocks that differ.
MAX_AGE = 114_960
MAX_AHEAD = 300


def send(method, path, body=None, headers=None):
    """Sends a request and returns the status and the JSON body."""
    request = urllib.request.Request(
        SANDBOX + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json", **(headers or {})},
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def control(method, path, body=None):
    """Calls the control API; an error says what to do."""
    status, value = send(method, "/_sandbox" + path, body)
    if status != 200:
        raise RuntimeError(value["detail"])
    return value


received = queue.Queue()


def is_genuine(secret, timestamp, body, signature):
    """Whether the service signed this body with the secret, and not too long ago."""
    if not secret.startswith("whsec_") or not re.fullmatch(r"[0-9]{1,12}", timestamp):
        return False
    if not -MAX_AHEAD <= time.time() - int(timestamp) <= MAX_AGE:
        return False
    digest = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(digest.encode(), signature.encode())


class Receiver(BaseHTTPRequestHandler):
    """Accepts webhooks whose signature is right."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        timestamp = self.headers.get("X-Service-Timestamp", "")
        genuine = is_genuine(SECRET, timestamp, body, self.headers.get("X-Service-Signature", ""))
        self.send_response(200 if genuine else 401)
        self.end_headers()
        if genuine:
            received.put(json.loads(body))

    def log_message(self, *_):
        """Prints nothing."""


def main():
    receiver = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{receiver.server_port}/webhooks"
    control("POST", f"/clients/{CLIENT_ID}/subscribe", {"url": url, "secret": SECRET})

    key = control("GET", f"/clients/{CLIENT_ID}")["secretKey"]
    balance = control("GET", f"/wallets/{CLIENT_ID}")["balance"]
    order = {
        "client_id": CLIENT_ID,
        "biller": "IKEDC",
        "recipient": "0124000952992",
        "meter_type": "prepaid",
        "amount": 5000,
        "idempotency_key": f"python-{uuid.uuid4()}",
    }
    bearer = {"Authorization": f"Bearer {key}"}

    # This request alone meets a fault: the wallet is debited, and the response is an error.
    fault = {"X-Sandbox-Fault": json.dumps({"when": "after", "status": 500})}
    status, _ = send("POST", "/api/v1/electricity/purchase", order, {**bearer, **fault})
    assert status == 500, status

    # The outcome is unknown, so the same key is sent again: it returns the purchase, and charges nothing more.
    status, accepted = send("POST", "/api/v1/electricity/purchase", order, bearer)
    assert status == 202, (status, accepted)
    reference = accepted["data"]["reference"]
    assert control("GET", f"/wallets/{CLIENT_ID}")["balance"] == balance - 5000

    # It settles; the webhook has arrived when the control API responds.
    settled = control("POST", f"/transactions/{reference}/settle", {"outcome": "success"})
    event = received.get(timeout=10)
    assert event["event"] == "transaction.completed", event
    assert event["data"]["token"] == settled["token"]

    # A forged delivery must be refused.
    delivery = control("GET", f"/transactions/{reference}")["delivery"]["id"]
    attempt = control("POST", f"/deliveries/{delivery}/redeliver", {"corrupt": "bad-signature"})
    assert attempt["status"] == 401 and not attempt["delivered"], attempt

    audit = control("GET", "/audit")
    assert audit["ok"], audit["problems"]
    print(f"{reference}: bought once, delivered, and the books are right")


if __name__ == "__main__":
    main()
