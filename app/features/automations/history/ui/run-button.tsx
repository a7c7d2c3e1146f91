import { Form, useNavigation } from '@remix-run/react'
import type { ReactNode } from 'react'
import { Button, type ButtonProps } from '#app/ui/button.tsx'

interface RunButtonProps {
  /** One of `RUN_ACTS`, and what it is about: `run`, `rule`, `step` and `item`. */
  values: { act: string } & Record<string, string>
  look?: ButtonProps['look']
  icon?: ReactNode
  /** For those who hear only the button. */
  label?: string
  children: ReactNode
}

/** A form of its own, sent to the page it stands on, so that it works without scripts. */
export function RunButton({ values, look = 'secondary', icon, label, children }: RunButtonProps) {
  const { state, formData } = useNavigation()
  const pending =
    state !== 'idle' &&
    formData !== undefined &&
    Object.entries(values).every(([name, value]) => formData.get(name) === value)
  return (
    <Form method="post" preventScrollReset className="contents">
      {Object.entries(values).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <Button type="submit" look={look} icon={icon} pending={pending} {...(label ? { 'aria-label': label } : {})}>
        {children}
      </Button>
    </Form>
  )
}
