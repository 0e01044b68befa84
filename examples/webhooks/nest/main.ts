// Webhooks in NestJS 11. `rawBody: true` keeps the bytes that the signature covers.
import 'reflect-metadata';
import { Controller, Module, Post, Req, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  createWebhookHandler,
  type NodeWebhookRequest,
  type NodeWebhookResponse,
  toNodeHandler,
} from 'billpay/webhooks';

const webhooks = toNodeHandler(
  createWebhookHandler({
    secret: process.env['BILLPAY_WEBHOOK_SECRET'],
    on: {
      'transaction.completed': async ({ data }) => console.log(`give value for ${data.reference}`),
      'transaction.failed': async ({ data }) => console.log(`refund the customer of ${data.reference}`),
    },
  }),
);

@Controller('webhooks')
class WebhooksController {
  @Post('billpay')
  receive(@Req() request: NodeWebhookRequest, @Res() response: NodeWebhookResponse) {
    return webhooks(request, response);
  }
}

@Module({ controllers: [WebhooksController] })
class AppModule {}

const app = await NestFactory.create(AppModule, { rawBody: true });
await app.listen(Number(process.env['PORT'] ?? 3000));
