import { useNavigate } from '@remix-run/react'
import type { LucideIcon } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import {
  type AutomationAccount,
  automationAddress,
  automationQuery,
  ruleAnchor,
} from '#app/domain/automations/automation-address.ts'
import type { Flash } from '#app/lib/flash.ts'
import { ButtonLink } from '#app/ui/button.tsx'
import { Field } from '#app/ui/form/field.tsx'
import { controlStyles } from '#app/ui/form/text-input.tsx'
import { useToast } from '#app/ui/toast/toast.tsx'
import { WayButton } from '../../form/ui/way-button.tsx'
import { copyFailedFlash } from '../page-text.ts'
import { nameOf } from './rule-button.tsx'

interface CopyTextProps {
  ruleId: number
  account: AutomationAccount
  /** The text of the rule that the page shows if copying fails. */
  step: 'json' | 'url'
  text: string
  copied: Flash
  icon: LucideIcon
  children: ReactNode
  /** The rule's name. */
  of: string
}

/** Copies directly; without scripts, or if the browser refuses, the page shows the text to copy by hand. */
export function CopyText({ ruleId, account, of, step, text, copied, icon, children }: CopyTextProps) {
  const toast = useToast()
  const navigate = useNavigate()
  const shown = { step, ruleId } as const
  async function copy() {
    try {
      await navigator.clipboard.writeText(text)
      toast(copied)
    } catch {
      toast(copyFailedFlash())
      navigate(`${automationAddress(account, shown)}#${ruleAnchor(ruleId)}`, { preventScrollReset: true })
    }
  }
  return (
    <WayButton
      {...nameOf({ children }, of)}
      query={automationQuery(account, shown)}
      anchor={ruleAnchor(ruleId)}
      variant="quiet"
      icon={icon}
      onClick={(event) => {
        event.preventDefault()
        void copy()
      }}
    >
      {children}
    </WayButton>
  )
}

interface ShownTextProps {
  id: string
  label: string
  hint: string
  text: string
  account: AutomationAccount
  ruleId: number
  rows: number
  /** More buttons beside "Close". */
  children?: ReactNode
}

/** A read-only text box that selects its text on focus. */
export function ShownText({ id, label, hint, text, account, ruleId, rows, children }: ShownTextProps) {
  const box = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    box.current?.focus()
    box.current?.select()
  }, [])
  return (
    <div className="grid gap-2">
      <Field id={id} label={label} hint={hint}>
        {(control) => (
          <textarea
            {...control}
            ref={box}
            readOnly
            rows={rows}
            value={text}
            onFocus={(event) => event.currentTarget.select()}
            className={controlStyles({ ground: 'fixed', text: 'code', className: 'resize-y py-2' })}
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-2">
        <ButtonLink to={`${automationAddress(account)}#${ruleAnchor(ruleId)}`} preventScrollReset>
          Close
        </ButtonLink>
        {children}
      </div>
    </div>
  )
}
