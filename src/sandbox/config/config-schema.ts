import * as z from 'zod/mini';
import { optionsOf } from '../../validation/parse-options.js';
import { listenFields } from '../http/listen-options.js';
import { faultSchema } from '../lab/fault-options.js';
import { sandboxFields } from '../options.js';
import { webhookSchema } from '../schemas/client-options.js';
import { allOptional, jsonSchemaOf, list, text } from '../schemas/kinds.js';

/** The content of a configuration file. The values of options, faults and subscriptions are checked where they are used, too. */
export const configFields = {
  ...sandboxFields,
  ...allOptional({
    $schema: text(),
    faults: list(faultSchema, 'must be a list of objects', {
      description: 'Active from the start, and after each reset.',
    }),
    webhooks: list(webhookSchema, 'must be a list of objects', {
      description: 'Subscribed at the start, and after each reset.',
    }),
    listen: optionsOf(listenFields),
  }),
};

/** The JSON Schema of a configuration file: docs/sandbox-config.schema.json. */
export const configSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Configuration of the billpay sandbox',
  ...jsonSchemaOf(z.strictObject(configFields)),
};
