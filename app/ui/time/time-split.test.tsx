import { render } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { TimeSplit } from './time-split.tsx'

function draw(...ms: (number | null)[]) {
  const names = ['DNS', 'connect', 'TLS', 'first byte']
  const { container } = render(<TimeSplit parts={ms.map((one, index) => ({ name: names[index] ?? '', ms: one }))} />)
  return container
}

describe('where a duration went', () => {
  it('is said in words', () => {
    expect(draw(4, 12, 30, 1210).textContent).toBe('DNS 4 ms · connect 12 ms · TLS 30 ms · first byte 1.2 s')
  })

  it('says a dash for what is not known, and 0 only for what was measured', () => {
    const page = draw(null, 0, null, 8)
    expect(page.textContent).toBe('DNS – · connect 0 ms · TLS – · first byte 8 ms')
  })

  it('is drawn as parts of one bar that fill it, without inline styles', () => {
    const [bar] = draw(10, 30, null, 60).querySelectorAll('svg')
    const parts = [...(bar?.querySelectorAll('rect') ?? [])].slice(1)
    expect(parts.map((part) => [Number(part.getAttribute('x')), Number(part.getAttribute('width'))])).toEqual([
      [0, 10],
      [10, 30],
      [40, 60],
    ])
    expect(document.querySelector('[style]')).toBeNull()
  })

  it('is as long as its share of a common scale', () => {
    const { container } = render(<TimeSplit parts={[{ name: 'TLS', ms: 50 }]} scale={200} />)
    expect(container.querySelectorAll('rect')[1]?.getAttribute('width')).toBe('25')
  })

  it('has no bar when nothing is known', () => {
    expect(draw(null, null, null, null).querySelector('svg.w-full')).toBeNull()
  })
})
