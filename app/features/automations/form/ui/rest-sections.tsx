import { ActionSection } from './action-section.tsx'
import { AdvancedSection } from './advanced-section.tsx'
import { ConditionSection } from './condition-section.tsx'
import { LoopWarnings } from './rule-sections.tsx'

/** What stands below the trigger, once there is one. */
export function RestSections() {
  return (
    <>
      <ConditionSection />
      <ActionSection />
      <LoopWarnings />
      <AdvancedSection />
    </>
  )
}
