// The text shown for a delivery, a run or a webhook that does not exist any more. It is the same for an id that never
// existed and for another account's, so that it reveals nothing.
import type { AccountLink } from '#app/domain/account-address.ts'
import { automationAddress } from '#app/domain/automations/automation-address.ts'
import { runsAddress } from '#app/domain/automations/history-address.ts'
import { managerAddress, searchAddress } from '#app/domain/delivery-address.ts'

interface GoneRecord {
  title: string
  sentence: string
  ways: { to: string; label: string }[]
}

/** `kept` = the retention in words: `30 days`. */
export function goneDelivery(account: AccountLink, kept: string): GoneRecord {
  return {
    title: 'This delivery is no longer kept',
    sentence: `Deliveries are kept for ${kept}.`,
    ways: [
      { to: searchAddress(account), label: 'Find a delivery' },
      { to: managerAddress(account), label: 'Back to webhooks' },
    ],
  }
}

/** `kept` = the retention in words. */
export function goneRun(account: AccountLink, kept: string): GoneRecord {
  return {
    title: 'This run is no longer kept',
    sentence: `Runs are kept for ${kept}.`,
    ways: [
      { to: runsAddress(account), label: 'History' },
      { to: automationAddress(account), label: 'Back to automations' },
    ],
  }
}

export function goneWebhook(account: AccountLink): GoneRecord {
  return {
    title: 'This webhook no longer exists',
    sentence: 'It was deleted, or its address was copied incompletely.',
    ways: [{ to: managerAddress(account), label: 'Back to webhooks' }],
  }
}
