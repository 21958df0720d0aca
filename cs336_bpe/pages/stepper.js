
// --- Steps: buttons, a slider, keys, and a line that a screen reader reads out ------------------

// A page has one row of steps, from 0 to `lastStep`. `showStep` draws the step `now`, and returns
// what there is to say about it.
let now = 0, lastStep = 0, showStep = () => "";
const slider = byId("slider");

function startSteps(last, show, at = 0) {
  lastStep = last;
  showStep = show;
  slider.max = last;
  setStep(at);
}

function setStep(number) {
  now = Math.max(0, Math.min(lastStep, number));
  slider.value = now;
  slider.setAttribute("aria-valuetext", `step ${now} of ${lastStep}`);
  byId("first").disabled = byId("previous").disabled = now === 0;
  byId("next").disabled = byId("last").disabled = now === lastStep;
  byId("said").textContent = `${now} / ${lastStep}. ${showStep()}`;
}

slider.addEventListener("input", () => setStep(Number(slider.value)));
for (const [id, target] of [["first", () => 0], ["previous", () => now - 1],
  ["next", () => now + 1], ["last", () => lastStep]]) {
  byId(id).addEventListener("click", () => {
    setStep(target());
    if (byId(id).disabled) slider.focus();
  });
}
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const moves = {ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: lastStep};
  // Where these keys do something already, that is left to them.
  if (!(event.key in moves) || event.target.closest("input, textarea, select, .scroll")) return;
  setStep(moves[event.key]);
  event.preventDefault();
});
