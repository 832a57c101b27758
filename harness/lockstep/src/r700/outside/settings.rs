//! What a case has beyond program and state, as the JSON of the protocol: only what is not as usual.

use parallax_engine::Hello;
use parallax_isa::r700::{
    Case, Profile,
    case::{Buffers, Constants, LoopConstant, ProgramType},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{LARGEST_SETTINGS, PROFILES, has, profiles};

/// Declares the settings: what each feature has of a case, under the names that cases have them.
macro_rules! settings {
    ($($field:ident: $type:ty),* $(,)?) => {
        /// What a case has beyond program and state.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub(super) struct Settings {
            $($field: $type,)*
        }

        impl Settings {
            /// Those of a case.
            pub(super) fn of(case: &Case) -> Self {
                Self { $($field: case.$field.clone(),)* }
            }

            /// Gives them to a case.
            pub(super) fn apply(self, case: &mut Case) {
                $(case.$field = self.$field;)*
            }
        }
    };
}

settings! {
    profile: Profile,
    program_type: ProgramType,
    fetch_program: u32,
    prefer_vector: bool,
    gpr_count: u32,
    clause_temporaries: u32,
    global_gprs: u32,
    stack_size: u32,
    constants: Constants,
    alternate_constants: Constants,
    loop_constants: Vec<LoopConstant>,
    bool_constants: u32,
    semantic_table: Vec<u8>,
    base_vertex: u32,
    start_instance: u32,
    wavefront: u32,
    buffers: Buffers,
}

impl Default for Settings {
    fn default() -> Self {
        Self::of(&Case::new(Vec::new()))
    }
}

impl Settings {
    /// As JSON, without what is as usual; empty if all is.
    pub(super) fn text(&self) -> String {
        let usual = Self::default();
        if *self == usual {
            return String::new();
        }
        let [all, usual] = [self, &usual].map(serde_json::to_value);
        let (Ok(Value::Object(mut all)), Ok(usual)) = (all, usual) else { return String::new() };
        all.retain(|name, value| *value != usual[name.as_str()]);
        Value::Object(all).to_string()
    }

    /// Reads what [`Self::text`] writes.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        serde_json::from_str(text).map_err(|error| format!("settings: {error}"))
    }

    /// What an engine has of them; the rest is as usual.
    pub(super) fn had(self, hello: &Hello) -> Self {
        let mut had = self;
        if !has(&hello.features, "surroundings") {
            let Self {
                profile,
                constants,
                alternate_constants,
                loop_constants,
                bool_constants,
                ..
            } = had;
            had = Self {
                profile,
                constants,
                alternate_constants,
                loop_constants,
                bool_constants,
                ..Self::default()
            };
        }
        if !has(&hello.features, "constants") {
            had.constants = Constants::default();
            had.alternate_constants = Constants::default();
            (had.loop_constants, had.bool_constants) = (Vec::new(), 0);
        }
        let followed = profiles(hello);
        let is_followed =
            |(name, profile): &(&str, Profile)| followed.contains(name) && *profile == had.profile;
        if !PROFILES.iter().any(is_followed) {
            let first = PROFILES.iter().find(|(name, _)| followed.contains(name));
            had.profile = first.map_or_else(Profile::default, |(_, profile)| *profile);
        }
        had
    }

    /// What of them an engine does not have.
    pub(super) fn beyond(&self, hello: &Hello) -> Option<String> {
        if self.is_large() {
            return Some(format!("settings of more than {} MB", LARGEST_SETTINGS >> 20));
        }
        let had = self.clone().had(hello);
        if had == *self {
            return None;
        }
        if had.profile != self.profile {
            let name = PROFILES.iter().find(|(_, profile)| *profile == self.profile);
            return name.map(|(name, _)| format!("the profile `{name}`"));
        }
        let [constants, others] = [&had, self].map(|settings| {
            (
                &settings.constants,
                &settings.alternate_constants,
                &settings.loop_constants,
                settings.bool_constants,
            )
        });
        let feature = if constants == others { "surroundings" } else { "constants" };
        Some(format!("the feature `{feature}`"))
    }

    /// Whether their text may be too large for a frame: a byte has four characters at most, a word eleven.
    fn is_large(&self) -> bool {
        let bytes = |constants: &Constants| {
            let buffers = constants.vertex_buffers.iter().map(|buffer| 4 * buffer.bytes.len());
            let textures = constants.textures.iter().map(|texture| 4 * texture.bytes.len());
            let vectors = constants.buffers.iter().map(Vec::len).chain([constants.file.len()]);
            buffers.chain(textures).chain(vectors.map(|vectors| 48 * vectors)).sum::<usize>()
        };
        bytes(&self.constants) + bytes(&self.alternate_constants) > LARGEST_SETTINGS
    }
}
