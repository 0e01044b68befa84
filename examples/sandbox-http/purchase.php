<?php
// A purchase from PHP without extensions: buy, fail, settle, receive and verify the webhook, check the books.
// Run: SANDBOX=http://127.0.0.1:4010 php purchase.php

declare(strict_types=1);

define('SANDBOX', getenv('SANDBOX') ?: 'http://127.0.0.1:4010');
const CLIENT_ID = 'client_default';

/** Sends a request and returns the status and the JSON body. */
function send(string $method, string $path, ?array $body = null, array $headers = []): array
{
    $context = stream_context_create(['http' => [
        'method' => $method,
        'header' => ['Content-Type: application/json', ...$headers],
        'content' => $body === null ? '' : json_encode($body, JSON_THROW_ON_ERROR),
        'ignore_errors' => true,
        'timeout' => 30,
    ]]);
    $text = file_get_contents(SANDBOX . $path, false, $context);
    if ($text === false) {
        throw new RuntimeException("$method $path received no response");
    }
    $status = (int) explode(' ', $http_response_header[0])[1];
    return [$status, json_decode($text, true, flags: JSON_THROW_ON_ERROR)];
}

/** Calls the control API; an error says what to do. */
function control(string $method, string $path, ?array $body = null): array
{
    [$status, $value] = send($method, '/_sandbox' . $path, $body);
    if ($status !== 200) {
        throw new RuntimeException($value['detail']);
    }
    return $value;
}

function check(bool $holds, string $what): void
{
    if (!$holds) {
        throw new RuntimeException("not as expected: $what");
    }
}

/** Starts webhook.php on a free port; returns its address, and a function that stops it. */
function startReceiver(string $secret, string $received): array
{
    $socket = stream_socket_server('tcp://127.0.0.1:0');
    $address = stream_socket_get_name($socket, false);
    fclose($socket);
    $process = proc_open(
        [PHP_BINARY, '-S', $address, __DIR__ . '/webhook.php'],
        [1 => ['file', '/dev/null', 'w'], 2 => ['file', '/dev/null', 'w']],
        $pipes,
        null,
        ['WEBHOOK_SECRET' => $secret, 'RECEIVED' => $received],
    );
    for ($tries = 0; !($probe = @stream_socket_client("tcp://$address")); $tries++) {
        check($tries < 500, 'the receiver starts');
        usleep(20_000);
    }
    fclose($probe);
    return ["http://$address/webhooks", fn () => proc_terminate($process)];
}

function main(): void
{
    $secret = 'whsec_' . bin2hex(random_bytes(16));
    $received = tempnam(sys_get_temp_dir(), 'billpay');
    [$url, $stop] = startReceiver($secret, $received);
    try {
        control('POST', '/clients/' . CLIENT_ID . '/subscribe', ['url' => $url, 'secret' => $secret]);
        $bearer = 'Authorization: Bearer ' . control('GET', '/clients/' . CLIENT_ID)['secretKey'];
        $balance = control('GET', '/wallets/' . CLIENT_ID)['balance'];
        $order = [
            'client_id' => CLIENT_ID,
            'biller' => 'WAEC',
            'recipient' => '08031234567',
            'product_code' => 'WAEC-RESULT',
            'quantity' => 2,
            'idempotency_key' => 'php-' . bin2hex(random_bytes(8)),
        ];

        // This request alone meets a fault: the wallet is debited, and the response is an error.
        $fault = 'X-Sandbox-Fault: ' . json_encode(['when' => 'after', 'status' => 500]);
        [$status] = send('POST', '/api/v1/edu/purchase', $order, [$bearer, $fault]);
        check($status === 500, "a failure, not $status");

        // The outcome is unknown, so the same key is sent again: it returns the purchase, and charges nothing more.
        [$status, $accepted] = send('POST', '/api/v1/edu/purchase', $order, [$bearer]);
        check($status === 202, "the purchase, not $status");
        ['reference' => $reference, 'amount' => $amount] = $accepted['data'];
        check(control('GET', '/wallets/' . CLIENT_ID)['balance'] === $balance - $amount, 'one debit');

        // It settles as failed and is refunded; the webhook has arrived when the control API responds.
        control('POST', "/transactions/$reference/settle", ['outcome' => 'failed']);
        $event = json_decode(trim(file_get_contents($received)), true, flags: JSON_THROW_ON_ERROR);
        check($event['event'] === 'transaction.failed', 'the event of a failed purchase');
        check($event['data']['reference'] === $reference, 'the event of this purchase');
        check(control('GET', '/wallets/' . CLIENT_ID)['balance'] === $balance, 'the refund');

        // A forged delivery must be refused.
        ['delivery' => $delivery] = control('GET', "/transactions/$reference");
        $attempt = control('POST', "/deliveries/{$delivery['id']}/redeliver", ['corrupt' => 'bad-signature']);
        check($attempt['status'] === 401 && !$attempt['delivered'], 'the refusal of a forged delivery');

        $audit = control('GET', '/audit');
        check($audit['ok'], implode(', ', $audit['problems']));
        echo "$reference: bought once, refunded, delivered, and the books are right\n";
    } finally {
        $stop();
        unlink($received);
    }
}

main();
