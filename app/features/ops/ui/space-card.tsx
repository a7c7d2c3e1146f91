import { grouped } from '#app/domain/count-text.ts'
import { sizeText } from '#app/domain/size-text.ts'
import { Meter } from '#app/ui/meter.tsx'
import type { SpaceView } from '../operator-view.ts'
import { Fact, Facts } from './facts.tsx'
import { Part } from './part.tsx'

/** How full the database is, what uses the space, and the forecast. */
export function SpaceCard({ space }: { space: SpaceView }) {
  const { usedBytes, budgetBytes, outlook, kinds } = space
  return (
    <Part id="space" title="Space">
      <Meter
        label="Database"
        value={usedBytes}
        most={budgetBytes}
        words={`${sizeText(usedBytes)} of ${sizeText(budgetBytes)}`}
        tone={space.level === 'enough' ? 'accent' : 'attention'}
      />
      <p className="mt-3 text-label">{space.sentence}</p>
      <p className="mt-1 text-label text-ink-soft">{outlook.sentence}</p>
      <Facts className="mt-4">
        <Fact name="File">
          {sizeText(space.fileBytes)}, {sizeText(space.freeBytes)} free
        </Fact>
        <Fact name="Write-ahead log">{sizeText(space.walBytes)}</Fact>
        {space.diskFreeBytes === null ? null : <Fact name="Free on the disk">{sizeText(space.diskFreeBytes)}</Fact>}
        <Fact name="Accounts over their share">{space.overShare === null ? 'None' : grouped(space.overShare)}</Fact>
      </Facts>
      <h3 className="mt-4 border-line border-t pt-4 text-label font-medium">Largest parts</h3>
      <ul className="mt-2 grid gap-1.5">
        {kinds.map(({ words, bytes, rows, estimated }) => (
          <li key={words} className="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-4 text-label">
            <span className="text-ink-soft">
              {words}
              {rows === null ? null : ` (${estimated ? 'about ' : ''}${grouped(rows)})`}
            </span>
            <span className="tabular-nums">about {sizeText(bytes)}</span>
          </li>
        ))}
      </ul>
    </Part>
  )
}
