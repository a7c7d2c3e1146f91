import { defineConfig } from 'vitest/config'

export default defineConfig({
  esbuild: { jsx: 'automatic' },
  test: {
    projects: [
      { extends: true, test: { name: 'unit', environment: 'node', include: ['{app,db,tests/house}/**/*.test.ts'] } },
      { extends: true, test: { name: 'dom', environment: 'happy-dom', include: ['app/**/*.test.tsx'] } },
      { extends: true, test: { name: 'walk', environment: 'node', include: ['tests/walks/**/*.test.ts'], testTimeout: 60_000, fileParallelism: false } },
    ],
  },
})
