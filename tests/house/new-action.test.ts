// docs/architecture.md says that an action type takes three files. Here one is added in exactly three, in a bundle of the product that
// is otherwise as it is, and then it is there: in the form, in sentences, in the look ahead, in what is done, in the history.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, expect, test, vi } from 'vitest'
import type { NewActionSeen, seeNewAction } from '#tests/support/new-action-trial.tsx'
import { bundleTs } from '../../scripts/run-ts.mjs'
import { ROOT } from './planted-tree.ts'

const FEATURE = 'app/features/automations'
const WORDS = 'app/domain/automations'

/** Fails where the place is not found: then the page, and this test, speak of a file that has changed. */
function insert(file: string, before: string, text: string): [path: string, text: string] {
  const path = join(ROOT, file)
  const source = readFileSync(path, 'utf8')
  if (source.split(before).length !== 2) throw new Error(`"${before}" is not there once in ${file}`)
  return [path, source.replace(before, () => text + before)]
}

/** 1. What it is called, what it asks for, what it leaves. */
const ENTRY = insert(
  `${WORDS}/action-parameters.ts`,
  '] as const satisfies readonly (ActionEntry',
  `  {
    type: 'wait_marker',
    label: 'Mark as Waiting',
    does: 'mark the job as waiting',
    gives: ['note_uuid'],
    parameters: [
      text('reason', 'Reason', { required: true, most: 200 }),
      { name: 'waitingFor', label: 'Waiting for', kind: 'choice', choices: ['parts', 'customer'] },
      flag('urgent', 'It is urgent'),
    ],
  },
`,
)

/** 2. What it would do: final texts, no effect. The same plan serves the look ahead and the run. */
const PLAN: [path: string, text: string] = [
  join(ROOT, FEATURE, 'actions/wait-marker.server.ts'),
  `// A note on the job that says what it waits for.
import type { Action, PlanContext } from './action.server.ts'
import type { Plan } from '#app/domain/automations/effect.ts'
import { blankWarnings, createWording, impossible, jobName, jobTargets, NO_JOB, planned } from './planning.server.ts'
import { flagParameter, textParameter } from './read-parameters.ts'

export const waitMarker: Action = { type: 'wait_marker', plan }

async function plan(context: PlanContext): Promise<Plan> {
  const wording = createWording(context)
  const [target] = jobTargets(context)
  if (!target) return impossible('invalid', NO_JOB)
  const waitingFor = textParameter(context.step.parameters, 'waitingFor') || 'something'
  return planned(
    wording,
    [
      {
        kind: 'create_record',
        class: 'create',
        object: 'note',
        fields: {
          related_object: 'job',
          related_object_uuid: target.uuid,
          note: \`Waiting for \${waitingFor}: \${wording.parameter('reason', 'plain')}\`,
          ...(flagParameter(context.step.parameters, 'urgent') && { action_required: '1' }),
        },
        parents: {},
        readBack: [],
        summary: \`Waiting mark on \${jobName(target.record)}\`,
      },
    ],
    { warnings: blankWarnings(wording), standIn: { note_uuid: 'the note (made when it runs)' } },
  )
}
`,
]

/** 3. Where the engine finds it; it does not compile without. */
const LINE = ((): [path: string, text: string] => {
  const [path, text] = insert(
    `${FEATURE}/actions/registry.server.ts`,
    '  update_job_field: updateJobField,\n',
    '  wait_marker: waitMarker,\n',
  )
  return [path, `import { waitMarker } from './wait-marker.server.ts'\n${text}`]
})()

let seen: NewActionSeen
beforeAll(async () => {
  const instead = new Map([ENTRY, PLAN, LINE])
  expect(instead.size).toBe(3)
  const bundle = await bundleTs('tests/support/new-action-trial.tsx', { instead, name: 'with-a-new-action' })
  const trial = (await import(/* @vite-ignore */ pathToFileURL(bundle).href)) as { seeNewAction: typeof seeNewAction }
  // The stub's router has an effect for browsers, and React says so of each that is drawn here.
  const said = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  seen = await trial.seeNewAction(
    'wait_marker',
    { reason: 'the pump for {entry.0.job_address}', waitingFor: 'parts', urgent: true },
    'Look after {action_1_result.note_uuid}',
  )
  const words = said.mock.calls.map(([text]) => String(text))
  said.mockRestore()
  expect(words.filter((text) => !text.includes('useLayoutEffect does nothing on the server'))).toEqual([])
})

test('the form offers it and draws its fields', () => {
  expect(seen.known).toBe(true)
  expect(seen.form).toContain('<option value="wait_marker" selected="">Mark as Waiting</option>')
  for (const label of ['Reason *', 'Waiting for', 'It is urgent']) expect(seen.form).toContain(label)
  expect(seen.form).toContain('<option value="parts">parts</option>')
  expect(seen.form).toContain('name="s.s1.p.reason"')
})

test('what is missing is told, what later steps read from it is known, and the sentence of the rule names it', () => {
  expect(seen.complaints).toEqual(['Reason is required'])
  expect(seen.issues).toEqual([])
  expect(seen.sentence).toContain('mark the job as waiting')
})

test('a look ahead shows what it would do and does nothing', () => {
  expect(seen.preview[0]).toEqual({ action: 'wait_marker', outcome: 'would_run', summaries: ['Waiting mark on job 1'] })
  expect(seen.madeByLook).toBe(0)
})

test('a run does it, later steps get its result, and the history shows it under its name', () => {
  expect(seen.made[0]).toMatchObject({
    object: 'note',
    fields: { note: 'Waiting for parts: the pump for 12 High Street, Dundee', action_required: '1' },
  })
  expect(seen.made[1]?.fields.name).toMatch(/^Look after [0-9a-f-]{36}$/)
  expect(seen.history[0]).toEqual({ label: 'Mark as Waiting', mark: 'done', summaries: ['Waiting mark on job 1'] })
})
