// A database with accounts that each forward their jobs to an address, as after that many sign-ups.
import { createSecretBox } from '#app/adapters/secret-box.server.ts'
import { newSigningSecret } from '#app/adapters/standard-webhooks.server.ts'
import { signingSecretPlace } from '#app/domain/sealed-places.ts'
import { systemClock } from '#app/lib/clocks.server.ts'
import { hashToken, newToken } from '#app/lib/token.server.ts'
import { sqlStore } from '#db/sql/store.server.ts'
import { openClient } from '#db/sqlite/client.server.ts'

export interface Seeded {
  /** The secret parts of our addresses, one per account. */
  tokens: string[]
}

/** `urls`: one account, subscription, webhook and endpoint each. `active` = incoming events are forwarded at once. */
export async function seedDatabase(input: {
  file: string
  encKeys: string
  urls: string[]
  active: boolean
}): Promise<Seeded> {
  const client = openClient(input.file, 'db/migrations')
  const clock = systemClock()
  const store = sqlStore(client, clock)
  const secrets = createSecretBox(input.encKeys)
  const addAccount = client.sql.prepare(
    'INSERT INTO account (uuid, name, timezone, created_at, updated_at) VALUES (?, ?, ?, ?, ?)',
  )
  const tokens: string[] = []
  for (const [index, url] of input.urls.entries()) {
    const at = clock.now()
    const accountUuid = `0000be4c-0000-4000-8000-${String(index).padStart(12, '0')}`
    const token = newToken()
    addAccount.run(accountUuid, `Account ${index}`, 'Europe/London', at, at)
    const id = await store.endpoints.beginSubscription(accountUuid, {
      object: 'job',
      fields: '',
      tokenHash: hashToken(token),
      // The bare handler reads it; the product never unseals it here.
      tokenSealed: token,
      at,
    })
    await store.endpoints.saveEndpoint(accountUuid, {
      kind: 'webhook',
      objectType: 'job',
      fields: '',
      url,
      fieldFilter: '',
      active: input.active,
      secretSealed: await secrets.seal(signingSecretPlace(accountUuid), newSigningSecret()),
      subscription: { id, fields: '', replacedUntil: at },
      at,
    })
    tokens.push(token)
  }
  client.close()
  return { tokens }
}
