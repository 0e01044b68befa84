import { KindRouter, type Reflection } from 'typedoc';

/** The slugs of the guides, whose reflections are named by their titles. */
export const slugs = new WeakMap<Reflection, string>();

/** Guides have the addresses of their files (`errors.html`); everything else lies in the folder of its kind. */
export class GuideRouter extends KindRouter {
  protected override getIdealBaseName(reflection: Reflection): string {
    return slugs.get(reflection) ?? super.getIdealBaseName(reflection);
  }
}
