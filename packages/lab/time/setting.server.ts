// The setting: accounts, webhooks and their endpoint addresses, created the way the product does.
import { newSigningSecret } from '#app/adapters/standard-webhooks.server.ts'
import { minutes } from '#app/lib/duration.ts'
import { createChance } from '../stage/chance.ts'
import { type Mood, WORKS } from './answers.ts'
import type { Process, World, WorldOptions } from './types.ts'

const OBJECTS = ['job', 'company', 'jobcontact']

export function drawOptions(seed: number): Omit<WorldOptions, 'sabotage'> {
  const chance = createChance(seed, 'options')
  return {
    seed,
    beatMs: chance.pick([minutes(1), minutes(2), minutes(5)]),
    gatherMs: chance.pick([0, 2]),
    limits: { window: chance.pick([2, 4, 64]) },
    pendingLimit: { deliveries: chance.pick([150, 50_000]), bytes: 50_000_000 },
  }
}

/** Two accounts with two or three webhooks each, some with a second address for the same object. */
export async function furnish(world: World, process: Process): Promise<string[]> {
  const chance = createChance(world.options.seed, 'setting')
  const accounts = Array.from({ length: 2 }, (_, n) => `account-${n + 1}`)
  const { sql } = process.client
  for (const account of accounts) {
    sql
      .prepare("INSERT INTO account (uuid, name, timezone, created_at, updated_at) VALUES (?, ?, 'UTC', 0, 0)")
      .run(account, account)
    for (const object of OBJECTS.slice(0, chance.whole(2, 3))) {
      await addWebhook(world, process, account, object, WORKS)
      if (chance.hit(0.2)) await addSecondAddress(world, process, account, object)
    }
  }
  return accounts
}

let addresses = 0
const newAddress = () => `https://r${++addresses}.example.com/`
const sealedSecret = (world: World, account: string) =>
  world.secrets.seal(`endpoint|${account}|secret`, newSigningSecret())

export async function addWebhook(
  world: World,
  { store }: Process,
  account: string,
  object: string,
  mood: Mood,
): Promise<void> {
  const at = world.clock.now()
  const url = newAddress()
  const token = { fields: '', tokenHash: url, tokenSealed: url, at }
  const id = await store.endpoints.beginSubscription(account, { object, ...token })
  const { endpointId } = await store.endpoints.saveEndpoint(account, {
    kind: 'webhook',
    objectType: object,
    fields: '',
    url,
    fieldFilter: '',
    active: true,
    secretSealed: await sealedSecret(world, account),
    subscription: { id, fields: '', replacedUntil: at },
    at,
  })
  world.moods.set(endpointId, mood)
}

/** A forwarding rule: one more address for the object. */
async function addSecondAddress(world: World, { store }: Process, account: string, object: string): Promise<void> {
  const { endpointId } = await store.endpoints.saveEndpoint(account, {
    kind: 'extra',
    name: 'Second address',
    objectType: object,
    url: newAddress(),
    fieldFilter: '',
    active: true,
    secretSealed: await sealedSecret(world, account),
    subscription: null,
    at: world.clock.now(),
  })
  world.moods.set(endpointId, WORKS)
}
