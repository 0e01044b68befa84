import { fileURLToPath } from 'node:url';

/** The document that the checks are about. */
export const documentFile = fileURLToPath(new URL('../../../docs/openapi.json', import.meta.url));

/** The folder in which the tools are installed. */
export const toolsFolder = fileURLToPath(new URL('../../tools/', import.meta.url));

/** The file of a tool's command. */
export const command = (path: string): string => `${toolsFolder}node_modules/${path}`;
