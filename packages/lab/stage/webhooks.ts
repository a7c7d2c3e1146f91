// The setup of every proof with a real server: both demo accounts signed in, a webhook for each of several objects.
import { OBJECT_KINDS } from '#app/domain/object-catalog.ts'
import { scriptlessBrowser } from '#tests/support/scriptless-browser.ts'
import { signIn } from '#tests/support/signed-in-server.ts'
import type { Target } from './load.ts'
import type { ProofServer } from './server.ts'

/**
 * Signs in the demo accounts of a running, ready server over HTTP and creates `objects` webhooks for each, all to
 * `url`. One account sends at most 16 deliveries at once, one endpoint at most 4: one would not fill the slots.
 */
export async function makeWebhooks(server: ProofServer, url: string, objects: number): Promise<Target[]> {
  const browser = scriptlessBrowser(server.origin)
  const stage = await browser.get('/sandbox')
  const accounts = new Set(
    [...stage.text.matchAll(/\/fieldhook\?accountUUID=([0-9a-f-]{36})/g)].map(([, id]) => id ?? ''),
  )
  if (accounts.size === 0) throw new Error('the console shows no link that opens the add-on')
  const targets: Target[] = []
  for (const accountUUID of accounts) {
    const back = await signIn(browser, accountUUID)
    if (back.status !== 200) throw new Error(`sign-in ended with ${back.status} at ${back.url}`)
    for (const { type: object } of OBJECT_KINDS.filter((kind) => kind.delivery === 'subscribed').slice(0, objects)) {
      const webhook = { accountUUID, object, callback_url: url, fields: '', active: true }
      const made = await browser.json('POST', '/api/webhooks', webhook)
      if (made.status !== 201) throw new Error(`no webhook for ${object}: ${made.status} ${JSON.stringify(made.body)}`)
      targets.push({ object, forwardingUrl: (made.body as { forwardingUrl: string }).forwardingUrl })
    }
  }
  return targets
}
