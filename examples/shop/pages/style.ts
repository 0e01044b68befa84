/** One style sheet for all pages: light and dark, from a phone to a desktop. */
export const style = `
:root { color-scheme: light dark; --ink: #16202c; --soft: #5a6675; --line: #d9dfe6; --ground: #f5f7f9; --card: #fff;
  --accent: #0b6b50; --on-accent: #fff; --good: #0b6b50; --bad: #b3261e; --wait: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8edf2; --soft: #a3afbc; --line: #313b46; --ground: #12171d; --card: #1b222a;
  --accent: #4cc7a1; --on-accent: #06251b; --good: #4cc7a1; --bad: #ff8a80; --wait: #f0b429; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
header { display: flex; align-items: center; justify-content: space-between; gap: 1rem; padding: .8rem 1.2rem; background: var(--card);
  border-bottom: 1px solid var(--line); }
nav { display: flex; gap: 1rem; }
a { color: var(--accent); }
.brand { font-weight: 700; text-decoration: none; color: var(--ink); }
main { max-width: 56rem; margin: 0 auto; padding: 1.2rem; }
h1 { font-size: 1.5rem; line-height: 1.2; margin: .4rem 0 1rem; }
h2 { font-size: 1.1rem; margin: 1.6rem 0 .6rem; }
.shelves { display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: .8rem; padding: 0; list-style: none; }
.shelves a { display: block; height: 100%; padding: 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .6rem;
  color: inherit; text-decoration: none; }
.shelves a:hover, .shelves a:focus-visible { border-color: var(--accent); }
.shelves strong { display: block; font-size: 1.1rem; }
.soft { color: var(--soft); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1.2rem; max-width: 32rem; }
form.card + form.card { margin-top: .8rem; }
#status { margin-bottom: 1rem; }
form.stack { display: grid; gap: .9rem; }
label { display: grid; gap: .25rem; font-weight: 600; }
label small { font-weight: 400; color: var(--soft); }
input, select { font: inherit; font-weight: 400; padding: .55rem .6rem; border: 1px solid var(--soft); border-radius: .4rem; background: var(--ground);
  color: inherit; width: 100%; }
button { font: inherit; font-weight: 600; padding: .55rem 1rem; border: 1px solid var(--accent); border-radius: .4rem; cursor: pointer;
  background: var(--accent); color: var(--on-accent); }
button.plain { background: transparent; color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .4rem 1rem; margin: 0 0 1rem; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
.state { font-weight: 700; }
.state.delivered { color: var(--good); } .state.refunded, .state.review, .state.held { color: var(--bad); }
.state.waiting { color: var(--wait); }
.token { font: 600 1.2rem/1.4 ui-monospace, monospace; letter-spacing: .04em; }
.problem { border-left: 4px solid var(--bad); padding: .4rem .8rem; background: var(--card); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; background: var(--card); }
th, td { text-align: left; padding: .5rem .7rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
.counts { display: grid; grid-template-columns: repeat(auto-fill, minmax(8rem, 1fr)); gap: .6rem; padding: 0; list-style: none; }
.counts li { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .6rem .8rem; }
.counts b { display: block; font-size: 1.4rem; font-variant-numeric: tabular-nums; }
ol.steps { padding-left: 1.2rem; } ol.steps li { margin: .2rem 0; }
.actions { display: flex; flex-wrap: wrap; gap: .5rem; }
`;
