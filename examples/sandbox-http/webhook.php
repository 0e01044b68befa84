<?php
// A webhook endpoint: accepts deliveries whose signature is right and not too old, and appends each one to the file that RECEIVED names.
// Run: WEBHOOK_SECRET=whsec_... RECEIVED=received.jsonl php -S 127.0.0.1:3000 webhook.php

declare(strict_types=1);

// The service repeats an event for 31 hours and 51 minutes, and may not sign a repetition anew. Five minutes are for clocks that differ.
const MAX_AGE = 114960;
const MAX_AHEAD = 300;

/** Whether the service signed this body with the secret, and not too long ago. */
function is_genuine(string $secret, string $timestamp, string $body, string $signature): bool
{
    if (preg_match('/^\d{1,12}$/D', $timestamp) !== 1) {
        return false;
    }
    $age = time() - (int) $timestamp;
    if ($age > MAX_AGE || $age < -MAX_AHEAD) {
        return false;
    }
    return hash_equals(hash_hmac('sha256', $timestamp . '.' . $body, $secret), $signature);
}

$secret = (string) getenv('WEBHOOK_SECRET');
if (!str_starts_with($secret, 'whsec_')) {
    // With an empty secret anybody could sign. The service delivers again once there is the right one.
    error_log('WEBHOOK_SECRET is not the whsec_ secret of the subscription: every delivery is refused');
    http_response_code(500);
    return;
}
$body = (string) file_get_contents('php://input');
$timestamp = $_SERVER['HTTP_X_SERVICE_TIMESTAMP'] ?? '';
if (!is_genuine($secret, $timestamp, $body, $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '')) {
    http_response_code(401);
    return;
}
// A shop would change its order here, once for each event and reference.
$stored = file_put_contents((string) getenv('RECEIVED'), $body . "\n", FILE_APPEND | LOCK_EX);
http_response_code($stored === false ? 500 : 200);
