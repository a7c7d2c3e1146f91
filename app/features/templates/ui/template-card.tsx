import { Form, useNavigation } from '@remix-run/react'
import { CopyPlus, PencilLine, TriangleAlert } from 'lucide-react'
import { type AutomationAccount, automationAddress } from '#app/domain/automations/automation-address.ts'
import { CATEGORY_LABELS } from '#app/domain/template-categories.ts'
import { Badge } from '#app/ui/badge.tsx'
import { Button } from '#app/ui/button.tsx'
import { cardStyles } from '#app/ui/card.tsx'
import { VisuallyHidden } from '#app/ui/visually-hidden.tsx'
import type { TemplateCardView } from '../template-view.ts'

interface TemplateCardProps {
  template: TemplateCardView
  account: AutomationAccount
}

export function TemplateCard({ template, account }: TemplateCardProps) {
  const { id, name, category, description, sentence, actions, overlap, blanks, usageCount } = template
  const titleId = `template-${id}-title`
  const { state, formData } = useNavigation()
  const pending = state !== 'idle' && formData?.get('act') === 'copy' && formData.get('id') === String(id)
  return (
    <article aria-labelledby={titleId} className={`${cardStyles} flex h-full flex-col gap-3 p-4 sm:p-5`}>
      <div className="grid gap-1.5">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <Badge>{CATEGORY_LABELS[category]}</Badge>
          <span className="text-dense text-ink-soft tabular-nums">{usedText(usageCount)}</span>
        </div>
        <h3 id={titleId} className="wrap-anywhere font-semibold text-body">
          {name}
        </h3>
      </div>
      <p className="wrap-anywhere rounded-control bg-sunken px-3 py-2 text-label">
        {/^When /.test(sentence.when) ? (
          <>
            <strong className="font-semibold">When</strong> {sentence.when.slice(5)}
          </>
        ) : (
          sentence.when
        )}
        ,{' '}
        {sentence.onlyIf === null ? null : (
          <>
            <strong className="font-semibold">only if</strong> {sentence.onlyIf},{' '}
            <strong className="font-semibold">then</strong>{' '}
          </>
        )}
        {sentence.does}.
      </p>
      <p className="wrap-anywhere text-label text-ink-soft">{description}</p>
      <p className="text-dense text-ink-soft">Actions: {actions.join(', then ')}</p>
      {overlap === null ? null : (
        <p className="flex items-start gap-1.5 text-label text-attention">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span className="wrap-anywhere min-w-0">{overlap}</span>
        </p>
      )}
      {blanks.length === 0 ? null : (
        <div className="flex items-start gap-1.5 text-label">
          <PencilLine aria-hidden className="mt-0.5 size-4 shrink-0 text-ink-soft" />
          <p className="wrap-anywhere min-w-0">
            <span className="text-ink-soft">To fill in: </span>
            {blanks.join(' · ')}
          </p>
        </div>
      )}
      <Form method="post" action={automationAddress(account)} className="mt-auto pt-1">
        <input type="hidden" name="act" value="copy" />
        <input type="hidden" name="id" value={id} />
        <Button type="submit" icon={CopyPlus} pending={pending}>
          Use template<VisuallyHidden> {name}</VisuallyHidden>
        </Button>
      </Form>
    </article>
  )
}

function usedText(count: number): string {
  if (count === 0) return 'Not used yet'
  return count === 1 ? 'Used once' : `Used ${count} times`
}
