import { CircleCheck, CircleMinus, Eye, History } from 'lucide-react'
import { lazy, type MouseEvent, Suspense } from 'react'
import { Button } from '#app/ui/button.tsx'
import { CardSection } from '#app/ui/card.tsx'
import { Field } from '#app/ui/form/field.tsx'
import { TextInput } from '#app/ui/form/text-input.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { FORM, PREVIEW_FIELDS, type RecordChoice, type Shown } from '../form-preview.ts'
import { useRuleForm } from './form-context.tsx'
import { useIntent } from './form-controls.tsx'

const loadPreviewed = async () => ({ default: (await import('./previewed.tsx')).Previewed })
const loadBacktest = async () => ({ default: (await import('../../page/ui/backtest-list.tsx')).BacktestList })

// The server has them loaded; a browser loads them with the first answer.
const Previewed = import.meta.env.SSR ? (await loadPreviewed()).default : lazy(loadPreviewed)
const BacktestList = import.meta.env.SSR ? (await loadBacktest()).default : lazy(loadBacktest)

/** Handlers that replace the round trips when scripts run. */
interface LiveHands {
  onSearch(text: string): void
  onRecord(uuid: string): void
  onPreview(): void
  onBacktest(): void
  /** A preview is loading. */
  busy: boolean
  backBusy: boolean
}

interface PaneProps {
  shown: Shown
  live?: LiveHands | null
  /** Without its frame: something else shows the title. */
  bare?: boolean
}

/** Shows what the rule would do with a real record, and its backtest. Nothing here is part of the rule. */
export function PreviewPane({ shown, live = null, bare = false }: PaneProps) {
  const { preview, back, trouble, search, record } = shown
  const { noun } = useRuleForm().aids
  const again = useIntent('form.preview:preview')
  const backtest = useIntent('form.preview:backtest')
  const instead = (act: (() => void) | undefined) => (event: MouseEvent) => {
    if (!act) return
    event.preventDefault()
    act()
  }
  const body = (
    <div className="grid gap-4" aria-busy={live?.busy || undefined}>
      {bare ? null : <p className="text-label text-ink-soft">Test with a real {noun}. Nothing is sent.</p>}
      <input type="hidden" form={FORM} name={PREVIEW_FIELDS.record} value={record} readOnly />
      <input type="hidden" form={FORM} name={PREVIEW_FIELDS.was} value={search} readOnly />
      {trouble ? (
        <Notice tone="attention" title="It cannot be shown now">
          <p>{trouble.message}</p>
        </Notice>
      ) : null}
      {preview ? (
        <Suspense fallback={null}>
          <Previewed preview={preview} />
        </Suspense>
      ) : null}
      {preview || live === null ? <OtherRecord shown={shown} live={live} instead={instead} /> : null}
      <div className="flex flex-wrap gap-2">
        {live && preview ? null : (
          <Button {...again} form={FORM} icon={Eye} pending={live?.busy ?? false} onClick={instead(live?.onPreview)}>
            Preview
          </Button>
        )}
        <Button
          {...backtest}
          form={FORM}
          icon={History}
          pending={live?.backBusy ?? false}
          onClick={instead(live?.onBacktest)}
        >
          The last 30 days
        </Button>
      </div>
      {back ? (
        <section aria-label="The last 30 days" className="border-line border-t pt-4">
          <Suspense fallback={null}>
            <BacktestList found={back} />
          </Suspense>
        </section>
      ) : null}
    </div>
  )
  if (bare) return body
  return (
    // On a desktop, takes at most 60% of the height and leaves the rest to the list below.
    <aside
      aria-label="Preview of the automation in the form"
      className="min-w-0 desk:max-h-[60dvh] desk:shrink-0 desk:overflow-y-auto"
    >
      <CardSection id="live-preview" title="Live preview">
        {body}
      </CardSection>
    </aside>
  )
}

interface OtherRecordProps {
  shown: Shown
  live: LiveHands | null
  instead(act: (() => void) | undefined): (event: MouseEvent) => void
}

function OtherRecord({ shown: { preview, search }, live, instead }: OtherRecordProps) {
  return (
    <details open={search !== '' || undefined}>
      <summary className="inline-flex min-h-11 cursor-pointer items-center text-label text-accent underline-offset-4 hover:underline">
        Try another record
      </summary>
      <div className="grid gap-2">
        <Field id="preview-search" label="Job number or customer" hint={preview?.note ?? undefined}>
          {(control) => (
            <TextInput
              {...control}
              type="search"
              form={FORM}
              name={PREVIEW_FIELDS.search}
              defaultValue={search}
              autoComplete="off"
              onChange={live ? (event) => live.onSearch(event.currentTarget.value) : undefined}
              onKeyDown={
                live
                  ? (event) => {
                      if (event.key === 'Enter') event.preventDefault()
                    }
                  : undefined
              }
            />
          )}
        </Field>
        {preview && preview.choices.length > 0 ? (
          <ul aria-label="Records" className="grid">
            {preview.choices.map((choice) => (
              <Choice
                key={choice.uuid}
                choice={choice}
                chosen={choice.uuid === preview.record.uuid}
                onClick={instead(live ? () => live.onRecord(choice.uuid) : undefined)}
              />
            ))}
          </ul>
        ) : null}
      </div>
    </details>
  )
}

interface ChoiceProps {
  choice: RecordChoice
  chosen: boolean
  onClick: (event: MouseEvent) => void
}

function Choice({ choice: { uuid, label, matches }, chosen, onClick }: ChoiceProps) {
  const Icon = matches ? CircleCheck : CircleMinus
  return (
    <li>
      <button
        {...useIntent(`form.preview:preview:${uuid}`)}
        form={FORM}
        aria-pressed={chosen}
        onClick={onClick}
        className="flex min-h-11 w-full items-start gap-2 rounded-control px-2 py-2.5 text-left text-label hover:bg-sunken aria-pressed:bg-accent-soft"
      >
        <Icon
          aria-hidden
          className={matches ? 'mt-0.5 size-4 shrink-0 text-working' : 'mt-0.5 size-4 shrink-0 text-ink-soft'}
        />
        <span className="wrap-anywhere min-w-0">
          {label}
          <span className="block text-dense text-ink-soft">{matches ? 'Would run' : 'Skipped'}</span>
        </span>
      </button>
    </li>
  )
}
