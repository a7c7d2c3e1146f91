// The main navigation of every page.
import { type AccountLink, accountAddress } from '#app/domain/account-address.ts'
import { automationAddress } from '#app/domain/automations/automation-address.ts'
import { runsAddress } from '#app/domain/automations/history-address.ts'
import { managerAddress } from '#app/domain/delivery-address.ts'
import { subscriptionAddress } from '#app/features/billing/subscription-address.ts'
import type { Place } from '#app/ui/page/app-frame.tsx'

/** The places, and to which of them the page at `path` belongs. */
export function placesOf(account: AccountLink, path: string): Place[] {
  const at = (start: RegExp) => start.test(path)
  return [
    { words: 'Webhooks', to: managerAddress(account), current: at(/^\/($|fieldhook|deliveries|webhook-activity)/) },
    {
      words: 'Automations',
      to: automationAddress(account),
      current: at(/^\/automation(\/settings|\/templates\/\d+)?$/),
    },
    { words: 'History', to: runsAddress(account), current: at(/^\/automation\/runs/) },
    // Its own response allows the payment provider's script.
    { words: 'Subscription', to: subscriptionAddress(account), reloadDocument: true, current: at(/^\/subscription/) },
    { words: 'Account', more: ' and security', to: accountAddress(account), current: at(/^\/account/) },
  ]
}
