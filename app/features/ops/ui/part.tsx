import type { ComponentProps } from 'react'
import { CardSection } from '#app/ui/card.tsx'

/** A part of the operator's page. Does not break across printed pages. */
export function Part({ className = '', ...rest }: ComponentProps<typeof CardSection>) {
  return <CardSection {...rest} className={`min-w-0 print:break-inside-avoid print:shadow-none ${className}`} />
}
