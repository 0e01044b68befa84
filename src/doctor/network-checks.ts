import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { parseJson } from '../utils/exact-json.js';
import { readProperty } from '../utils/read-property.js';
import { failed, type Outcome, ok, skipped, warning } from './finding.js';

/** ms for one step on the network. */
export const networkTimeoutMs = 10_000;

const dayMs = 86_400_000;

/** A certificate that ends sooner than this is worth a warning, in days. */
const certificateWarningDays = 14;

/** The system's code of an error or of its cause, such as `ENOTFOUND`; else its name. */
export function errorCodeOf(error: unknown): string {
  const code = readProperty(error, 'code') ?? readProperty(readProperty(error, 'cause'), 'code');
  return typeof code === 'string' ? code : String(readProperty(error, 'name') ?? 'unknown error');
}

/** The host name without the brackets of an IPv6 address. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

export async function checkDns(address: URL): Promise<Outcome> {
  const host = hostOf(address);
  if (isIP(host)) return ok(`${host} is an address already`);
  try {
    const found = await lookup(host, { all: true });
    return ok(`${host} has ${found.length === 1 ? 'an address' : `${found.length} addresses`}`);
  } catch (error) {
    return failed(
      `${host} has no address (${errorCodeOf(error)})`,
      'check the spelling of BILLPAY_BASE_URL, and the DNS of this machine or container',
    );
  }
}

/** Whether the certificate of the service is trusted here, and for how long. */
export async function checkTls(address: URL): Promise<Outcome> {
  if (address.protocol !== 'https:') return skipped('the base address is http:// on this machine');
  try {
    const { protocol, validTo } = await handshake(address);
    const days = Math.floor((validTo.getTime() - Date.now()) / dayMs);
    if (days < certificateWarningDays) {
      return warning(
        `the certificate is valid for ${days} more days only`,
        "tell the service's operator, or renew it if the host is yours",
      );
    }
    return ok(`${protocol}, the certificate is valid for ${days} more days`);
  } catch (error) {
    return failed(
      `the TLS handshake failed (${errorCodeOf(error)})`,
      'update the system certificates; behind a proxy that inspects TLS, name its certificate in NODE_EXTRA_CA_CERTS; never turn verification off',
    );
  }
}

function handshake(address: URL): Promise<{ readonly protocol: string; readonly validTo: Date }> {
  const host = hostOf(address);
  const port = Number(address.port || 443);
  return new Promise((resolve, reject) => {
    const servername = isIP(host) ? {} : { servername: host };
    const socket: TLSSocket = connect({ host, port, timeout: networkTimeoutMs, ...servername }, () => {
      const validTo = new Date(socket.getPeerCertificate().valid_to);
      resolve({ protocol: socket.getProtocol() ?? 'TLS', validTo });
      socket.end();
    });
    socket.once('timeout', () => socket.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })));
    socket.once('error', reject);
  });
}

export type Probe = ProbeResponse | { readonly kind: 'failure'; readonly code: string };

export interface ProbeResponse {
  readonly kind: 'response';
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body; undefined where it is not JSON. */
  readonly json: unknown;
  /** When the request was sent and when its response had arrived, in ms since 1970. */
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** Sends one request, without following redirects. */
export async function probe(url: string, init: RequestInit): Promise<Probe> {
  const sentAt = Date.now();
  try {
    const signal = AbortSignal.timeout(networkTimeoutMs);
    const response = await fetch(url, { ...init, redirect: 'manual', signal });
    const { status, headers } = response;
    const json = parseJson(await response.text());
    return { kind: 'response', status, headers, json, sentAt, receivedAt: Date.now() };
  } catch (error) {
    return { kind: 'failure', code: errorCodeOf(error) };
  }
}
