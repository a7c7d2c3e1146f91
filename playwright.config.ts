import { defineConfig } from '@playwright/test'
import { FLAGS } from './scripts/browser.mjs'

// scripts/browser.mjs found one that works here; without it Playwright's own is used.
const executablePath = process.env.E2E_BROWSER || undefined
const browserEnv = JSON.parse(process.env.E2E_BROWSER_ENV || '{}')

export default defineConfig({
  testDir: 'tests/e2e',
  testMatch: '**/*.spec.ts',
  outputDir: 'test-results',
  // Each test gets a product of its own (tests/e2e has the fixture), so they do not share anything.
  fullyParallel: true,
  // A journey waits for a third of its time: one more than this machine has processors.
  workers: 3,
  retries: 0,
  forbidOnly: true,
  // These end what hangs. Beside other work a machine takes five times as long.
  timeout: 240_000,
  expect: { timeout: 20_000 },
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
    {
      name: 'desktop',
      use: { viewport: { width: 1280, height: 800 } },
      // What looks pages over begins on a phone, and looks once more as a desk by night. Without scripts go the journeys of
      // the gate, the form of an automation, the account and paying; the other pages' forms are posted in the tests of
      // their routes. `E2E_EVERYTHING=1` runs all of it at both widths, for more than twice the time.
      ...(process.env.E2E_EVERYTHING
        ? {}
        : {
            grepInvert:
              /accessible and fit|(controls|notices|search|polled|forwarding-rules|automation|automation-history|automation-settings|activity)\.spec.*without JavaScript/,
          }),
    },
    {
      name: 'phone',
      use: { viewport: { width: 375, height: 812 }, hasTouch: true, isMobile: true },
      ...(process.env.E2E_EVERYTHING
        ? {}
        : { grep: /with JavaScript from the gate|rule-form.*with JavaScript|accessible and fit/ }),
    },
  ],
})
