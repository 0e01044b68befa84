import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { createConsola } from 'consola';
import pino from 'pino';
import { describe, expect, it } from 'vitest';
import winston from 'winston';
import { type BillPayOptions, InsufficientBalanceError, pinoLogger, winstonLogger } from '../../src/index.js';
import { clientOf, rejectionOf, valid } from '../support/wire.js';

/** A stream that keeps what is written to it. */
function sink() {
  const chunks: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  const text = () => chunks.join('');
  const lines = (): Record<string, unknown>[] =>
    text()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return { stream, text, lines };
}

type Given = BillPayOptions['logger'];

/** One call that succeeds, one that is refused, one that is answered with a deviation: a line each of debug, info and warn. */
async function callThrough(logger: Given): Promise<void> {
  const odd = { ...valid.transaction, data: { ...valid.transaction.data, refunded: 'no' } };
  const refusal = { status: 'error', code: 'INSUFFICIENT_BALANCE', message: 'Low balance' };
  const responses = [
    () => Response.json(valid.transaction),
    () => Response.json(refusal, { status: 402 }),
    () => Response.json(odd),
  ];
  const fetch = async () => (responses.shift() ?? Response.error)();
  const billpay = clientOf({ fetch, logger, logLevel: 'debug' });
  await billpay.transactions.status(valid.transaction.data.reference);
  await rejectionOf(
    billpay.airtime.purchase({
      biller: 'MTN',
      recipient: '08031234567',
      amount: 500,
      idempotency_key: 'order-1',
    }),
  );
  await billpay.transactions.status(valid.transaction.data.reference);
}

const lookup = expect.stringContaining('transactions.status attempt 1: GET /transactions/status -> 200 in ');
const refused = expect.stringContaining('airtime.purchase attempt 1: POST /airtime/purchase -> 402 INSUFF');
const deviation = expect.stringContaining('data.refunded');

const purchase = {
  operation: 'airtime.purchase',
  status: 402,
  idempotencyKey: 'order-1',
  recipient: '0803****567',
  error: 'InsufficientBalanceError',
};

/** The lines of a logger that writes JSON, its message under this name. */
function expectLines(lines: Record<string, unknown>[], message: string, levels: readonly unknown[]) {
  expect(lines.map(({ level }) => level)).toEqual(levels);
  expect(lines[0]).toMatchObject({ [message]: lookup, operation: 'transactions.status' });
  expect(lines[1]).toMatchObject({ [message]: refused, ...purchase });
  expect(lines[3]).toMatchObject({ [message]: deviation });
}

describe('console', () => {
  it('writes the message and the fields', async () => {
    const [out, err] = [sink(), sink()];
    await callThrough(
      new Console({ stdout: out.stream, stderr: err.stream, inspectOptions: { breakLength: 1e4 } }),
    );
    expect(out.text()).toEqual(lookup);
    expect(out.text()).toEqual(refused);
    expect(out.text()).toMatch(/idempotencyKey: 'order-1'.*recipient: '0803\*\*\*\*567'/);
    expect(err.text()).toEqual(deviation);
  });
});

describe('pino', () => {
  it.each<[string, (logger: pino.Logger) => Given]>([
    ['as it is', (logger) => logger],
    ['as a child', (logger) => logger.child({ shop: 'one' })],
    ['through pinoLogger', (logger) => pinoLogger(logger)],
  ])('given %s writes the message and the fields', async (_, given) => {
    const out = sink();
    await callThrough(given(pino({ level: 'debug' }, out.stream)));
    expectLines(out.lines(), 'msg', [20, 30, 20, 40]);
  });

  it('shows the class of an error by its name', () => {
    const out = sink();
    const error = new InsufficientBalanceError('Low balance', { status: 402, body: { token: '48210937' } });
    pino(out.stream).error(error);
    expect(out.lines()[0]).toMatchObject({
      err: { type: 'InsufficientBalanceError', message: 'Low balance', status: 402 },
    });
    expect(out.text()).not.toContain('48210937');
  });
});

describe('winston', () => {
  const { levels } = winston.config.syslog;
  const json = winston.format.json();

  it.each<[string, winston.LoggerOptions, (logger: winston.Logger) => Given, string]>([
    ['as it is', {}, (logger) => logger, 'warn'],
    ['through winstonLogger', {}, (logger) => winstonLogger(logger), 'warn'],
    ['with syslog levels', { levels }, (logger) => winstonLogger(logger), 'warning'],
  ])('given %s writes the message and the fields', async (_, options, given, warn) => {
    const out = sink();
    const transports = [new winston.transports.Stream({ stream: out.stream })];
    await callThrough(given(winston.createLogger({ level: 'debug', format: json, transports, ...options })));
    expectLines(out.lines(), 'message', ['debug', 'info', 'debug', warn]);
  });
});

describe('consola', () => {
  it('writes the message and the fields', async () => {
    const lines: Record<string, unknown>[] = [];
    const log = ({ type, args: [message, fields] }: { type: string; args: unknown[] }) =>
      lines.push({ level: type, message, ...Object(fields) });
    await callThrough(createConsola({ level: 5, reporters: [{ log }] }));
    expectLines(lines, 'message', ['debug', 'info', 'debug', 'warn']);
  });
});
