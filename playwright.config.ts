import { defineConfig } from '@playwright/test'
import { FLAGS } from './scripts/browser.mjs'

// scripts/browser.mjs found one that works here; without it Playwright's own is used.
const executablePath = process.env.E2E_BROWSER || undefined
const browserEnv = JSON.parse(process.env.E2E_BROWSER_ENV || '{}')

export default defineConfig({
  testDir: 'tests/e2e',
  testMatch: '**/*.spec.ts',
  outputDir: 'test-results',
  // Each test starts its own server (tests/e2e has the fixture), so they do not share anything.
  fullyParallel: true,
  workers: 2,
  retries: 0,
  forbidOnly: true,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: 'list',
  use: {
    browserName: 'chromium',
    locale: 'en-AU',
    timezoneId: 'Australia/Sydney',
    screenshot: 'only-on-failure',
    // A fifth of the time: `E2E_TRACE=1` writes one for whoever hunts a failure.
    trace: process.env.E2E_TRACE ? 'retain-on-failure' : 'off',
    launchOptions: { executablePath, args: FLAGS, env: { ...process.env, ...browserEnv } },
  },
  projects: [
    { name: 'desktop', use: { viewport: { width: 1280, height: 800 } } },
    {
      name: 'phone',
      use: { viewport: { width: 375, height: 812 }, hasTouch: true, isMobile: true },
      // Every page as a phone shows it by day, and the journeys that everybody makes. What the others do is the same at either
      // width; `E2E_EVERYTHING=1` runs them here too, for twice the time.
      ...(process.env.E2E_EVERYTHING
        ? {}
        : { grep: /journey.*(with|copying)|rule-form.*with|light.*accessible and fit/ }),
    },
  ],
})
