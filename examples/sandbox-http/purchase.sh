#!/bin/sh
# A purchase from curl alone: buy, meet a failure, repeat the key, settle as failed, and check the books.
# Run: SANDBOX=http://127.0.0.1:4010 sh purchase.sh
set -eu
SANDBOX=${SANDBOX:-http://127.0.0.1:4010}

# The value of a text field in a JSON response.
field() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }

KEY=$(curl -fsS "$SANDBOX/_sandbox/clients/client_default" | field secretKey)

buy() {
  curl -sS "$SANDBOX/api/v1/airtime/purchase" \
    -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' "$@" \
    -d '{"client_id":"client_default","biller":"MTN","recipient":"08031234567","amount":500,"idempotency_key":"curl-order-1"}'
}

echo 'This request alone meets a fault: nothing is charged.'
buy -H 'X-Sandbox-Fault: {"status":503,"code":"QUEUE_UNAVAILABLE"}' | field code

echo 'The same key again buys.'
REFERENCE=$(buy | field reference)
echo "$REFERENCE"

echo 'And again: the same purchase, nothing is charged.'
test "$(buy | field reference)" = "$REFERENCE"

echo 'It settles as failed; the wallet is refunded.'
curl -fsS "$SANDBOX/_sandbox/transactions/$REFERENCE/settle" -d '{"outcome":"failed"}' | field status

echo 'The books are right.'
curl -fsS "$SANDBOX/_sandbox/audit" | grep '"ok":true'
