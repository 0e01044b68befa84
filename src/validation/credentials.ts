import * as z from 'zod/mini';
import { isLoopbackHost } from '../contract/field-rules.js';
import { type KeyKind, keyPrefixes } from '../contract/vocabulary.js';
import { expects } from './parse-options.js';

/** `abort` on every check: only the first problem is reported. */
const abort = true;

const string = () => z.string({ error: expects('must be a string') });

/** Which kind a key is; undefined for a text that is no key. */
export const keyKindOf = (apiKey: string): KeyKind | undefined =>
  (['secret', 'public'] as const).find(
    (kind) => apiKey.startsWith(keyPrefixes[kind]) && apiKey.length > keyPrefixes[kind].length,
  );

/** An API key. It is never shown in a message. */
export const apiKey = () =>
  string().check(
    z.regex(/^[\x21-\x7e]+$/, {
      error:
        'contains whitespace, a line break or a character that no key contains, often from copying or from the end of a file: trim it, or copy it again (the key is not shown here)',
      abort,
    }),
    z.refine((key) => keyKindOf(key) !== undefined, {
      error:
        'starts with neither sk_ (secret key) nor pk_ (public key): copy the whole key from the developer console (the key is not shown here)',
      abort,
    }),
  );

/** The account identifier issued at registration. */
export const clientId = () =>
  string().check(
    z.regex(/^\S*$/, { error: 'contains whitespace or a line break: trim it', abort }),
    z.refine((id) => !/^(sk|pk)_/.test(id), {
      error: 'looks like an API key: pass the account identifier issued at registration',
      abort,
    }),
  );

/** The base address, without a slash at its end. */
export const baseUrl = (allowInsecureHttp: boolean) =>
  string().check(
    z.refine((address) => baseUrlProblem(address, allowInsecureHttp) === undefined, {
      error: ({ input }) => `${baseUrlProblem(String(input), allowInsecureHttp)}, such as https://…/api/v1`,
      abort,
    }),
    z.overwrite((address) => new URL(address).href.replace(/\/+$/, '')),
  );

function baseUrlProblem(address: string, allowInsecureHttp: boolean): string | undefined {
  if (!/^https?:/i.test(address) || !URL.canParse(address))
    return 'must be a full URL that starts with https://';
  const url = new URL(address);
  if (url.username || url.password || url.search || url.hash)
    return 'must be the address alone, without a user name, a password, a query or a fragment';
  const isLoopback = isLoopbackHost(url.hostname);
  if (!isLoopback && !url.pathname.split('/').some((segment) => /^v\d+$/.test(segment)))
    return 'has no version segment, which the base address of the service includes: without it, every call goes to a path that does not exist (only loopback hosts may do without it)';
  return url.protocol === 'https:' || allowInsecureHttp || isLoopback
    ? undefined
    : 'is http:// on a host that is not loopback, which would send the key in clear text (allowInsecureHttp: true allows it): use https://';
}
