import { GROUPING_FIELDS } from '#app/domain/automations/rule.ts'
import { GROUPING_WORDS } from '../../rules/form-words.ts'
import { isShown } from '../form-shown.ts'
import { useRuleForm } from './form-context.tsx'
import { BoxControl, FormSection, SelectControl, ShowFields } from './form-controls.tsx'

/** One run for several records that belong together. */
export function GroupSection() {
  const { state } = useRuleForm()
  return (
    <FormSection id="group" title="Group Actions" hint="Combine related records into one run.">
      <div className="grid gap-2">
        <BoxControl name="enableGrouping">Group the records that match</BoxControl>
        {isShown(state, 'groupingField') ? (
          <SelectControl
            name="groupingField"
            label="Group by"
            none="Choose what to group by"
            options={GROUPING_FIELDS.map((value) => ({ value, label: GROUPING_WORDS[value] }))}
            hint="Use {job_list} or {count} in the texts for all of them."
          />
        ) : null}
        <ShowFields>Show the grouping</ShowFields>
      </div>
    </FormSection>
  )
}
