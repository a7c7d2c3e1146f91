import { Eye } from 'lucide-react'
import { cardStyles } from '#app/ui/card.tsx'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { CopyField } from '#app/ui/form/copy-field.tsx'
import { PostButton } from '#app/ui/form/post-button.tsx'
import type { FormResult } from '../form-result.ts'
import { NewWebhookForm } from './form/endpoint-form.tsx'
import type { ManagerAccount } from './manager-address.ts'
import { ReceiverMark } from './receiver-mark.tsx'

interface FirstWebhookProps {
  account: ManagerAccount
  result: FormResult | undefined
  /** An address that receives events, set when the built-in stand-in plays the platform. */
  demoAddress: string | null
}

/** The three ways to begin: an address at hand, one to get from a tool, or none at all. */
export function FirstWebhook({ account, result, demoAddress }: FirstWebhookProps) {
  return (
    <section
      aria-labelledby="create-title"
      className={`${cardStyles} grid grid-cols-[minmax(0,1fr)] divide-line max-lg:divide-y lg:grid-cols-[22rem_minmax(0,1fr)] lg:divide-x`}
    >
      <div className="grid content-start gap-4 p-4 sm:p-5">
        <div>
          <h2 id="create-title" className="font-semibold text-title">
            Create New Webhook
          </h2>
          <p className="text-ink-soft text-label">I have an address</p>
        </div>
        <NewWebhookForm account={account} usedTypes={[]} result={result} />
        {demoAddress === null ? null : <CopyField id="demo-address" label="To try it out" value={demoAddress} />}
      </div>
      <div className="divide-y divide-line">
        <div className="grid gap-1 p-4 sm:p-5">
          <h3 className="font-semibold">I need an address from Zapier, Make or n8n</h3>
          {HOW_TO_GET.map((way) => (
            <Way key={way.name} way={way} />
          ))}
        </div>
        <div className="grid gap-3 p-4 sm:p-5">
          <h3 className="font-semibold">Just show me events</h3>
          <p className="text-label">Watch your jobs here. Add an address later.</p>
          <WatchJobs account={account} />
        </div>
      </div>
    </section>
  )
}

/** One tool: three steps, each with what to look for on the screen. */
function Way({ way }: { way: HowToGet }) {
  return (
    <Disclosure
      summary={
        <>
          <ReceiverMark kind={way.name} />
          {way.name}
        </>
      }
    >
      <ol className="grid gap-3 sm:grid-cols-3">
        {way.steps.map(({ says, shows }, index) => (
          <li key={says} className="grid content-start gap-2 text-label">
            <StepPicture shows={shows} />
            <span>
              <strong className="font-semibold">{index + 1}.</strong> {says}
            </span>
          </li>
        ))}
      </ol>
    </Disclosure>
  )
}

/** What to press there, drawn as a small window with that one control. */
function StepPicture({ shows: { kind, text } }: Pick<HowToGet['steps'][number], 'shows'>) {
  return (
    <span aria-hidden className="block rounded-control border border-line bg-sunken px-2 pt-1.5 pb-3">
      <span className="mb-2 flex gap-1">
        <span className="size-1.5 rounded-pill bg-line-strong" />
        <span className="size-1.5 rounded-pill bg-line-strong" />
        <span className="size-1.5 rounded-pill bg-line-strong" />
      </span>
      <span
        className={
          kind === 'button'
            ? 'mx-auto block w-fit max-w-full truncate rounded-control bg-accent px-3 py-1 text-dense text-on-accent'
            : 'mx-auto block w-fit max-w-full truncate rounded-control border border-line-strong bg-surface px-2 py-1 font-mono text-dense'
        }
      >
        {text}
      </span>
    </span>
  )
}

/** Creates a webhook for jobs without an address, at one press. */
function WatchJobs({ account }: { account: ManagerAccount }) {
  const values = { intent: 'create', object: 'job', callback_url: '', fields: '', accountUUID: account.accountUUID }
  return (
    <div>
      <PostButton values={values} icon={Eye} pendingLabel="Creating…">
        Watch jobs here
      </PostButton>
    </div>
  )
}

// How to get an address from a tool, in three steps. The words in quotes are those of the tool's own pages.

interface HowToGet {
  name: 'Zapier' | 'Make' | 'n8n'
  steps: readonly {
    says: string
    /** The one control to look for. */
    shows: { kind: 'button' | 'address'; text: string }
  }[]
}

const HOW_TO_GET: readonly HowToGet[] = [
  {
    name: 'Zapier',
    steps: [
      {
        says: 'Create a Zap. As trigger choose “Webhooks by Zapier”.',
        shows: { kind: 'button', text: 'Webhooks by Zapier' },
      },
      { says: 'Choose the event “Catch Hook” and continue.', shows: { kind: 'button', text: 'Catch Hook' } },
      {
        says: 'Copy the webhook URL and paste it here.',
        shows: { kind: 'address', text: 'hooks.zapier.com/hooks/catch/…' },
      },
    ],
  },
  {
    name: 'Make',
    steps: [
      { says: 'Create a scenario. Add the module “Webhooks”.', shows: { kind: 'button', text: 'Webhooks' } },
      { says: 'Choose “Custom webhook”, add one and save.', shows: { kind: 'button', text: 'Custom webhook' } },
      { says: 'Copy the address and paste it here.', shows: { kind: 'address', text: 'hook.eu1.make.com/…' } },
    ],
  },
  {
    name: 'n8n',
    steps: [
      { says: 'Create a workflow. Add the node “Webhook”.', shows: { kind: 'button', text: 'Webhook' } },
      { says: 'Set “HTTP Method” to POST, then activate the workflow.', shows: { kind: 'button', text: 'POST' } },
      {
        says: 'Copy the “Production URL” and paste it here.',
        shows: { kind: 'address', text: '….n8n.cloud/webhook/…' },
      },
    ],
  },
]
