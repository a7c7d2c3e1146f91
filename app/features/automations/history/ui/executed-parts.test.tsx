import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { AccountTimeProvider } from '#app/ui/time/time.tsx'
import { renderPage } from '#tests/support/page-stub.tsx'
import { sampleLogLine } from '#tests/support/sample-rules.ts'
import { SAMPLE_NOW, SAMPLE_ZONE } from '#tests/support/sample-views.ts'
import '#app/ui/sheet-dialog.tsx'
import { LogsDialog } from './logs-dialog.tsx'

test('the log shows the records that matched, the parameters, and what each placeholder became', async () => {
  const account = { accountUUID: 'account-1', admin: false }
  renderPage({
    page: () => (
      <AccountTimeProvider now={SAMPLE_NOW} zone={SAMPLE_ZONE}>
        <LogsDialog logs={[sampleLogLine()]} account={account} tab="rules" />
      </AccountTimeProvider>
    ),
  })
  const said = (await screen.findByRole('dialog')).textContent ?? ''
  expect(said).toContain('Matched records: 1 of 9Job 4411StatusCompleted')
  expect(said).toContain('ParametersMessageHi {entry.0.contact_first_name}')
  expect(said).toContain('Replacements{entry.0.contact_first_name} → Margaret{')
  expect(said).toContain('{entry.0.total as money} → £1,234.50Value: 1234.50')
  expect(said).toContain('{entry.0.company_name or "you"} → youThere was no value.')
})
