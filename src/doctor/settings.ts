/** What the doctor examines. */
export interface DoctorSettings {
  readonly apiKey: string | undefined;
  readonly clientId: string | undefined;
  readonly baseUrl: string | undefined;
  readonly webhookUrl: string | undefined;
  readonly webhookSecret: string | undefined;
  readonly databaseUrl: string | undefined;
  readonly redisUrl: string | undefined;
  /** The version of Node, without its `v`. */
  readonly nodeVersion: string;
  /** The folder of the application, whose installed `pg`, `ioredis` or `redis` are used. */
  readonly folder: string;
  /** The file of environment variables that was named with --env. */
  readonly envFile: string | undefined;
}

/** Every value that must never be printed. */
export function secretsOf(settings: DoctorSettings): string[] {
  const { apiKey, webhookSecret, databaseUrl, redisUrl } = settings;
  const urls = [databaseUrl, redisUrl].filter((url) => url !== undefined);
  return [apiKey, webhookSecret, ...urls, ...urls.flatMap(passwordsIn)].filter(
    (secret) => secret !== undefined && secret.trim() !== '',
  ) as string[];
}

/** The password in a URL, as it is written and as it is meant. */
function passwordsIn(text: string): string[] {
  if (!URL.canParse(text)) return [];
  const { password } = new URL(text);
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}
