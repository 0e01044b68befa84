/** The shop in a process of its own, which the proof kills: it sells, and receives webhooks on a port. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '../../webhooks/node.js';
import { openShop, type ShopSettings } from './shop.js';

process.once('message', async (settings: ShopSettings) => {
  const shop = await openShop(settings);
  const server = createServer(toNodeHandler(shop.receive)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send?.((server.address() as AddressInfo).port);
  await shop.sell();
});
process.on('disconnect', () => process.exit());
