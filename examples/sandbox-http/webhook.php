<?php
// A webhook endpoint: accepts deliveries whose signature is right, and appends each one to the file that RECEIVED names.
// Run: WEBHOOK_SECRET=whsec_... RECEIVED=received.jsonl php -S 127.0.0.1:3000 webhook.php

declare(strict_types=1);

$body = file_get_contents('php://input');
$timestamp = $_SERVER['HTTP_X_SERVICE_TIMESTAMP'] ?? '';
$digest = hash_hmac('sha256', $timestamp . '.' . $body, getenv('WEBHOOK_SECRET'));
$genuine = hash_equals($digest, $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '');

if ($genuine) {
    // A shop would change its order here, once for each event and reference.
    file_put_contents(getenv('RECEIVED'), $body . "\n", FILE_APPEND | LOCK_EX);
}
http_response_code($genuine ? 200 : 401);
