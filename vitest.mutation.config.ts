import { defineConfig } from 'vitest/config'

/** The unit tests beside the modules that `npm run mutate` mutates: those of a folder know its modules best. */
export default defineConfig({
  esbuild: { jsx: 'automatic' },
  test: {
    setupFiles: ['tests/support/quiet.ts'],
    environment: 'node',
    isolate: false,
    testTimeout: 10_000,
    hookTimeout: 20_000,
    include: ['app/{adapters,domain,http,lib}/**/*.test.ts', 'app/features/{accounts,ops}/**/*.test.ts'],
  },
})
