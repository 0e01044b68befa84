import commonjs from '@rollup/plugin-commonjs';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import terser from '@rollup/plugin-terser';
import { build as esbuild } from 'esbuild';
import { rollup } from 'rollup';
import { build as vite } from 'vite';
import webpack from 'webpack';

/** Each bundler as its manual says, for Node and for browsers, minified. */
const bundlers = {
  esbuild: (forNode) =>
    esbuild({
      entryPoints: ['main.mjs'],
      outfile: 'bundle.mjs',
      bundle: true,
      minify: true,
      format: 'esm',
      platform: forNode ? 'node' : 'browser',
    }),
  rollup: async (forNode) => {
    const resolve = forNode ? { exportConditions: ['node'] } : { browser: true };
    const bundle = await rollup({
      input: 'main.mjs',
      external: /^node:/,
      plugins: [nodeResolve(resolve), commonjs(), terser({ module: true })],
    });
    await bundle.write({ file: 'bundle.mjs', format: 'es', inlineDynamicImports: true });
  },
  vite: (forNode) =>
    vite({
      configFile: false,
      logLevel: 'warn',
      ...(forNode && { ssr: { noExternal: true } }),
      build: {
        outDir: '.',
        emptyOutDir: false,
        minify: true,
        target: 'es2022',
        ...(forNode ? { ssr: 'main.mjs' } : { lib: { entry: 'main.mjs', formats: ['es'] } }),
        rollupOptions: { output: { entryFileNames: 'bundle.mjs', inlineDynamicImports: true } },
      },
    }),
  webpack: (forNode) =>
    new Promise((resolve, reject) => {
      const options = {
        mode: 'production',
        context: process.cwd(),
        entry: './main.mjs',
        target: forNode ? 'node20' : 'web',
        output: { path: process.cwd(), filename: 'bundle.mjs', module: true, chunkFormat: 'module' },
        experiments: { outputModule: true },
      };
      webpack(options, (error, stats) => {
        if (error || stats.hasErrors()) reject(error ?? new Error(stats.toString()));
        else resolve();
      });
    }),
};

const [bundler, platform] = process.argv.slice(2);
await bundlers[bundler](platform === 'node');
