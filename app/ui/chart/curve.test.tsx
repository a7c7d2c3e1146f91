import { render, screen } from '@testing-library/react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { Curve } from './curve.tsx'

it('is an image named by its sentence, which everybody can read', () => {
  render(<Curve sentence="12 operations so far." values={[1, 5, 12]} places={30} limit={1_000} expected={120} />)
  const image = screen.getByRole('img', { name: '12 operations so far.' })
  expect(image.querySelectorAll('path')).toHaveLength(4)
  expect(screen.getByText('12 operations so far.').tagName).toBe('FIGCAPTION')
})

it('has no dashed line where nothing is expected, and none to compare with', () => {
  const { container } = render(<Curve sentence="Quiet." values={[null, null]} places={2} />)
  expect(container.querySelectorAll('path')).toHaveLength(2)
  expect(container.querySelector('[stroke-dasharray]')).toBeNull()
})

it('of a month takes less than a kilobyte', () => {
  const values = Array.from({ length: 31 }, (_, day) => day * 37)
  const html = renderToStaticMarkup(<Curve sentence="" values={values} places={31} limit={1_000} expected={1_400} />)
  expect(html.match(/<svg.*<\/svg>/s)?.[0].length).toBeLessThan(1_024)
})
