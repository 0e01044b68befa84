import type { WebhookHosts } from './service-state.js';

/** Whether a URL has a user name or a password in it. */
export function hasCredentials(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}

/** The url for the contract's check, which accepts http on loopback hosts only: an allowed host counts as https. */
export function comparableUrl(url: unknown, allowed: WebhookHosts): unknown {
  if (typeof url !== 'string' || !URL.canParse(url)) return url;
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && allowed.has(hostname.toLowerCase()) ? url.replace(/^http:/i, 'https:') : url;
}
