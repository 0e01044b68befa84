/** Every supported version of an engine is accepted as it is: checked by the compiler, never run. */
import { Queue, Worker } from 'bullmq';
import { Queue as Queue5, Worker as Worker5 } from 'bullmq5';
import { PgBoss } from 'pg-boss';
import PgBoss10 from 'pg-boss10';
import PgBoss11 from 'pg-boss11';
import { bullmqQueue, pgBossQueue } from '../../src/orders/index.js';

const connection = { host: '127.0.0.1', port: 6379, maxRetriesPerRequest: null };

export const queues = () => [
  bullmqQueue({ queue: new Queue('orders', { connection }), Worker, connection }),
  bullmqQueue({ queue: new Queue5('orders', { connection }), Worker: Worker5, connection }),
  pgBossQueue(new PgBoss('')),
  pgBossQueue(new PgBoss11('')),
  pgBossQueue(new PgBoss10('')),
];
