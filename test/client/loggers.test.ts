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

const lookup = 'billpay transactions.status attempt 1: GET /transactions/status -> 200 in ';
const refused = 'billpay airtime.purchase attempt 1: POST /airtime/purchase -> 402 INSUFFICIENT_BALANCE ';
const deviation = 'data.refunded';

const purchase = {
  operation: 'airtime.purchase',
  status: 402,
  idempotencyKey: 'order-1',
  recipient: '0803****567',
  error: 'InsufficientBalanceError',
};

describe('console', () => {
  it('writes the message and the fields', async () => {
    const [out, err] = [sink(), sink()];
    await callThrough(
      new Console({ stdout: out.stream, stderr: err.stream, inspectOptions: { breakLength: 1e4 } }),
    );
    expect(out.text()).toContain(lookup);
    expect(out.text()).toContain(refused);
    expect(out.text()).toMatch(/idempotencyKey: 'order-1'.*recipient: '0803\*\*\*\*567'/);
    expect(err.text()).toContain(deviation);
  });
});

describe('pino', () => {
  const expectLines = (lines: Record<string, unknown>[]) => {
    expect(lines.map(({ level }) => level)).toEqual([20, 30, 20, 40]);
    expect(lines[0]).toMatchObject({
      msg: expect.stringContaining(lookup),
      operation: 'transactions.status',
    });
    expect(lines[1]).toMatchObject({ msg: expect.stringContaining(refused), ...purchase });
    expect(lines[3]).toMatchObject({
      msg: expect.stringContaining(deviation),
      operation: 'transactions.status',
    });
  };

  it.each<[string, (logger: pino.Logger) => Given]>([
    ['as it is', (logger) => logger],
    ['as a child', (logger) => logger.child({ shop: 'one' })],
    ['through pinoLogger', (logger) => pinoLogger(logger)],
  ])('given %s writes the message and the fields', async (_, given) => {
    const out = sink();
    await callThrough(given(pino({ level: 'debug' }, out.stream)));
    expectLines(out.lines());
  });

  it('writes nothing below its own level', async () => {
    const out = sink();
    await callThrough(pino({ level: 'warn' }, out.stream));
    expect(out.lines()).toHaveLength(1);
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
  const stream = (options: winston.LoggerOptions = {}) => {
    const out = sink();
    const transports = [new winston.transports.Stream({ stream: out.stream })];
    return {
      out,
      logger: winston.createLogger({ level: 'debug', format: winston.format.json(), transports, ...options }),
    };
  };
  const expectLines = (lines: Record<string, unknown>[], warn: string) => {
    expect(lines.map(({ level }) => level)).toEqual(['debug', 'info', 'debug', warn]);
    expect(lines[0]).toMatchObject({
      message: expect.stringContaining(lookup),
      operation: 'transactions.status',
    });
    expect(lines[1]).toMatchObject({ message: expect.stringContaining(refused), ...purchase });
    expect(lines[3]).toMatchObject({ message: expect.stringContaining(deviation) });
  };

  it('given as it is writes the message and the fields', async () => {
    const { out, logger } = stream();
    await callThrough(logger);
    expectLines(out.lines(), 'warn');
  });

  it('through winstonLogger writes the same', async () => {
    const { out, logger } = stream();
    await callThrough(winstonLogger(logger));
    expectLines(out.lines(), 'warn');
  });

  it('with syslog levels writes warnings at warning', async () => {
    const { out, logger } = stream({ levels: winston.config.syslog.levels });
    await callThrough(winstonLogger(logger));
    expectLines(out.lines(), 'warning');
  });
});

describe('consola', () => {
  it('writes the message and the fields', async () => {
    const seen: { type: string; args: unknown[] }[] = [];
    const logger = createConsola({
      level: 5,
      reporters: [{ log: ({ type, args }) => seen.push({ type, args }) }],
    });
    await callThrough(logger);
    expect(seen.map(({ type }) => type)).toEqual(['debug', 'info', 'debug', 'warn']);
    expect(seen[0]?.args).toEqual([
      expect.stringContaining(lookup),
      expect.objectContaining({ operation: 'transactions.status' }),
    ]);
    expect(seen[1]?.args).toEqual([expect.stringContaining(refused), expect.objectContaining(purchase)]);
    expect(seen[3]?.args[0]).toContain(deviation);
  });
});
