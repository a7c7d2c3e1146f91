// Every button of every page, pressed for another account's objects, or for the caller's own with another's ids. The
// values come from the pages' own lists; `drawnButtons` reads the sources, so that no new button is missed.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { RUN_ACTS } from '#app/features/automations/history/act-on-run.server.ts'
import { RULE_ACTS } from '#app/features/automations/page/act-on-rule.ts'
import { MUTE_ACTS } from '#app/features/automations/settings/mute.ts'
import { SUBSCRIPTION_INTENTS } from '#app/features/billing/payment-answer.ts'
import { CARD_INTENTS } from '#app/features/endpoints/controls/act-on-card.server.ts'
import { NOTICE_INTENTS } from '#app/features/endpoints/notices/act-on-notices.server.ts'
import type { MatrixCall, OwnedIds } from './matrix-call.ts'

type Fields = (ids: OwnedIds) => Record<string, string>

/** A button of a page. Other tests press it as the owner; this one shows that it does nothing for others. */
function press(route: string, path: (ids: OwnedIds) => string, form: Fields): MatrixCall {
  return { method: 'POST', route, path, stranger: 'page', other: 'page', form, ownerSkips: true }
}

const by = ({ account }: OwnedIds) => `?accountUUID=${account}`

function onManager(route: '/' | 'fieldhook', form: Fields): MatrixCall {
  return press(route, (ids) => `/${route.replace('/', '')}${by(ids)}`, form)
}

function onPage(route: string, form: Fields): MatrixCall {
  return press(route, (ids) => `/${route.replace(':id', `${ids.run}`)}${by(ids)}`, form)
}

/** Fields of a card's or notice's button besides the card's id. */
const ofCard: Fields = (ids) => ({
  id: `${ids.webhook}`,
  delivery: `${ids.delivery}`,
  notice: '1',
  replay: '1',
  since: '2026-01-01T00:00',
  missed: 'yes',
})
const ofRun: Fields = (ids) => ({ run: `${ids.run}`, rule: `${ids.automation}`, step: '1', item: '1' })

export const PAGE_BUTTONS: readonly MatrixCall[] = [
  onManager('/', (ids) => ({ intent: 'delete', id: `${ids.webhook}` })),
  ...[...CARD_INTENTS, ...NOTICE_INTENTS].map((intent) =>
    onManager('fieldhook', (ids) => ({ intent, ...ofCard(ids) })),
  ),
  ...['create', 'create_rule'].map((intent) =>
    onManager('fieldhook', () => ({ intent, callback_url: '', forwardUrl: '' })),
  ),
  ...['update', 'delete', 'undo'].flatMap((intent) => [
    onManager('fieldhook', (ids) => ({ intent, id: `${ids.webhook}`, fields: '', callback_url: '' })),
    onManager('fieldhook', (ids) => ({ intent, id: `rule-${ids.rule}`, name: '', forwardUrl: '' })),
  ]),
  onPage('deliveries', (ids) => ({ delivery: `${ids.delivery}` })),
  press(
    'deliveries/:id',
    (ids) => `/deliveries/${ids.delivery}${by(ids)}`,
    (ids) => ({ intent: 'send_again', delivery: `${ids.delivery}` }),
  ),
  ...RULE_ACTS.map((act) =>
    onPage('automation', (ids) => ({ act, id: `${ids.automation}`, to: 'off', bypass: 'yes' })),
  ),
  onPage('automation', (ids) => ({ act: 'copy', id: `${ids.template}` })),
  onPage('automation', (ids) => ({ intent: 'form.save', ruleId: `${ids.automation}`, name: '' })),
  ...[...MUTE_ACTS, 'save'].map((act) => onPage('automation/settings', (ids) => ({ act, mute: `${ids.mute}` }))),
  ...['all_again', 'cancel', 'release_all'].map((act) => onPage('automation/runs', (ids) => ({ act, ...ofRun(ids) }))),
  ...['answer_go_on', 'answer_stop', 'listening_read'].map((act) =>
    onPage('automation/runs', (ids) => ({ act, answer: '1', ...ofRun(ids) })),
  ),
  ...[...RUN_ACTS, ...MUTE_ACTS].map((act) =>
    onPage('automation/runs/:id', (ids) => ({ act, ...ofRun(ids), mute: `${ids.mute}` })),
  ),
  press(
    'automation/templates',
    (ids) => `/automation/templates${by(ids)}&admin=yes`,
    () => ({ name: 'planted', category: 'other' }),
  ),
  ...['turn_on', 'text_me:0'].map((intent) =>
    press(
      'automation/templates/:id',
      (ids) => `/automation/templates/${ids.template}${by(ids)}`,
      () => ({ intent, 'preview.phone.0': '+447700900123' }),
    ),
  ),
  ...SUBSCRIPTION_INTENTS.map((intent) => onPage('subscription', () => ({ intent, payment_intent: 'pi_planted' }))),
  press(
    'link',
    (ids) => `/link${by(ids)}&token=${'x'.repeat(43)}&to=/fieldhook`,
    () => ({}),
  ),
  onPage('account', () => ({ intent: 'end_session', id: 'x'.repeat(22) })),
  { ...onPage('account', () => ({ intent: 'end_all' })), signsOut: true },
  onPage('account', () => ({ intent: 'role', person: 'nobody', role: 'owner' })),
  onPage('account', () => ({ intent: 'erase', name: 'not its name' })),
]

/**
 * The values that buttons in the sources send: `act=switch`. The rule form's own count as one: they save only the form.
 */
export function drawnButtons(): string[] {
  const files = readdirSync('app/features', { recursive: true, encoding: 'utf8' })
    .map((file) => join('app/features', file))
    .filter((file) => /[\\/]ui[\\/][^\\/]+\.tsx$/.test(file) && !file.endsWith('.test.tsx'))
  const found = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(SENT)].flatMap(([, ofTag, tagged, ofProp, given]) => {
      const name = ofTag ?? ofProp ?? ''
      const values = [...(tagged ?? given ?? '').matchAll(/['"`]([\w.]+)/g)]
      return values.map(([, value = '']) => `${name}=${value.startsWith('form.') ? 'form.' : value}`)
    }),
  )
  return [...new Set(found)].sort()
}

/** `name="act" value="x"`, `value={…}`, `intent="x"`, `intent={a ? 'x' : 'y'}`, `{ act: 'x' }`. */
const SENT = /name="(intent|act)"\s+value=("[^"]*"|\{[^}]*\})|\b(intent|act)(?:=|: )("[^"]*"|'[^']*'|\{[^}]*\})/g

/** The same values, from rows of the matrix. */
export function pressedButtons(rows: readonly MatrixCall[]): string[] {
  const nobody: OwnedIds = {
    account: '',
    webhook: 0,
    rule: 0,
    delivery: 0,
    automation: 0,
    run: 0,
    mute: 0,
    template: 0,
  }
  return rows.flatMap(({ form }) =>
    Object.entries(form?.(nobody) ?? {})
      .filter(([name]) => name === 'intent' || name === 'act')
      .map(([name, value]) => `${name}=${value.startsWith('form.') ? 'form.' : value.replace(/:.*/, '')}`),
  )
}
