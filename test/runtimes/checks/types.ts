import { join } from 'node:path';
import { type Check, template } from '../check.js';
import { openTelemetryApi } from '../package.js';
import { run, type Tool, toolFolder, versionOf } from '../tools.js';

const compilers = [
  'typescript-5.4',
  'typescript-5.9',
  'typescript-6.0',
  'typescript-7.0',
] as const satisfies readonly Tool[];

interface Project {
  readonly what: string;
  readonly type: 'module' | 'commonjs';
  readonly options: object;
}

const dom = { lib: ['es2022', 'dom', 'dom.iterable'], types: [] };

const projects: readonly Project[] = [
  { what: 'NodeNext, ESM', type: 'module', options: { ...dom, module: 'nodenext' } },
  { what: 'NodeNext, CommonJS', type: 'commonjs', options: { ...dom, module: 'nodenext' } },
  { what: 'bundler', type: 'module', options: { ...dom, module: 'esnext', moduleResolution: 'bundler' } },
  {
    what: 'NodeNext, ESM, Node types without DOM',
    type: 'module',
    options: { lib: ['es2022'], types: ['node'], module: 'nodenext' },
  },
];

/** The strictest options a consumer can use; the declarations themselves are checked too. */
const strict = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitOverride: true,
  isolatedModules: true,
  skipLibCheck: false,
  target: 'es2022',
  noEmit: true,
};

/** Module resolution as it was before `exports`, which classic NestJS and ts-jest projects have. TypeScript 7 has it no more. */
const node10Checks: readonly Check[] = compilers
  .filter((compiler) => compiler !== 'typescript-7.0')
  .map((compiler) => ({
    name: `TypeScript ${versionOf(compiler)}, node10, every entry point`,
    run: async ({ packed }) => {
      const imports = packed.entryPoints.map(
        (entry, at) =>
          `import * as entry${at} from '${entry}';\nexport const names${at} = Object.keys(entry${at});`,
      );
      const options = {
        module: 'commonjs',
        moduleResolution: 'node',
        lib: ['es2022', 'dom', 'dom.iterable'],
      };
      const compilerOptions = {
        ...strict,
        ...options,
        types: [],
        ...(compiler === 'typescript-6.0' && { ignoreDeprecations: '6.0' }),
      };
      const folder = packed.consumer(`${compiler}-node10`, {
        type: 'commonjs',
        files: {
          'use.ts': imports.join('\n'),
          'tsconfig.json': JSON.stringify({ compilerOptions, files: ['use.ts'] }),
        },
        links: { '@opentelemetry/api': openTelemetryApi },
      });
      await run(process.execPath, [join(toolFolder(compiler), 'bin/tsc')], folder);
      return packed.entryPoints.length;
    },
  }));

const resolvingChecks: readonly Check[] = compilers.flatMap((compiler) =>
  projects.map(({ what, type, options }, at) => ({
    name: `TypeScript ${versionOf(compiler)}, ${what}`,
    run: async ({ packed }) => {
      const folder = packed.consumer(`${compiler}-${at}`, {
        type,
        files: {
          'use.ts': template('use.ts'),
          'tsconfig.json': JSON.stringify({ compilerOptions: { ...strict, ...options }, files: ['use.ts'] }),
        },
        links: { '@types/node': toolFolder('@types/node') },
      });
      const printed = await run(
        process.execPath,
        [join(toolFolder(compiler), 'bin/tsc'), '--listFiles'],
        folder,
      );
      const declarations = printed.split('\n').filter((file) => file.includes('node_modules/billpay/dist/'));
      if (declarations.length === 0) throw new Error(`found no declarations:\n${printed}`);
      return declarations.length;
    },
  })),
);

export const typeChecks: readonly Check[] = [...resolvingChecks, ...node10Checks];
