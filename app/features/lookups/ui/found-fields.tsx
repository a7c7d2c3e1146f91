import { Tag } from 'lucide-react'
import { Button } from '#app/ui/button.tsx'
import type { FoundField } from '../api-fields.ts'

interface FoundFieldsProps {
  fields: readonly FoundField[]
  /** Records there are. */
  count: number
  onMap: (field: string, button: HTMLElement) => void
}

/** Every field with an example; each can be given a name. */
export function FoundFields({ fields, count, onMap }: FoundFieldsProps) {
  return (
    <ul aria-labelledby="api-fields-title" className="grid max-h-[32rem] divide-y divide-line overflow-y-auto">
      {fields.map(({ path, kinds, sample, filled }) => (
        <li key={path} className="flex items-center gap-3 py-1.5">
          <div className="min-w-0 flex-1">
            <p className="break-all font-mono text-dense">
              {path} <span className="font-sans text-ink-soft">{kinds.join(' or ')}</span>
            </p>
            <p className="wrap-anywhere text-dense text-ink-soft">
              {sample === null ? 'empty everywhere' : sample}
              {sample !== null && filled < count ? ` · in ${filled} of ${count}` : ''}
            </p>
          </div>
          <span className="needs-script shrink-0">
            <Button
              look="quiet"
              size="icon"
              aria-label={`Create Dynamic Mapping for ${path}`}
              icon={Tag}
              onClick={(event) => onMap(path, event.currentTarget)}
            />
          </span>
        </li>
      ))}
    </ul>
  )
}
