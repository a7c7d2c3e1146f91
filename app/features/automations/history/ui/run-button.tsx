import { Form } from '@remix-run/react'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button, type ButtonProps } from '#app/ui/button.tsx'
import { HiddenFields, useIsSending } from '#app/ui/form/sent-values.tsx'

interface RunButtonProps {
  /** One of `RUN_ACTS`, with its values: `run`, `rule`, `step` and `item`. */
  values: { act: string } & Record<string, string>
  variant?: ButtonProps['variant']
  icon?: LucideIcon
  /** Label for screen readers. */
  label?: string
  children: ReactNode
}

/** A button with its own form that posts to the current page, so it works without scripts. */
export function RunButton({ values, variant = 'secondary', icon, label, children }: RunButtonProps) {
  const pending = useIsSending(values)
  return (
    <Form method="post" preventScrollReset className="contents">
      <HiddenFields values={values} />
      <Button type="submit" variant={variant} icon={icon} wraps pending={pending} aria-label={label}>
        {children}
      </Button>
    </Form>
  )
}
