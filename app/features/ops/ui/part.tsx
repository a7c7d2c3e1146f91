import type { ComponentProps } from 'react'
import { CardSection } from '#app/ui/card.tsx'

/** A part of the operator's page. On paper none is torn in two. */
export function Part({ className = '', ...rest }: ComponentProps<typeof CardSection>) {
  return <CardSection {...rest} className={`min-w-0 print:break-inside-avoid print:shadow-none ${className}`} />
}
